/* SPDX-License-Identifier: MIT */
/*
 * One record per line, for GCC up to 12.
 *
 * That GCC's reader masks the discriminator off and lets the last record of a line overwrite the
 * others, so one count has to stand for all basic blocks of a line: the greatest, which of the
 * rules measured in docs/gcc-12-lines.md is the simplest among the best.
 */
#include "formats/gcov.h"

#include "base/memory.h"

static int collapse_lines(struct source_function *f)
{
	struct source_line *to = f->lines.items, *l;
	const struct source_target *t;

	if (!f->lines.count)
		return 0;
	to->at.discriminator = 0;
	vector_each (&f->lines, l) {
		if (l == to)
			continue;
		if (l->at.line != to->at.line) {
			if (++to != l) {
				*to = *l;
				*l = (struct source_line){0};
			}
			to->at.discriminator = 0;
			continue;
		}
		if (l->count > to->count)
			to->count = l->count;
		vector_each (&l->targets, t)
			if (source_line_add_target(to, t->name, t->count))
				return -1;
		vector_deinit(&l->targets);
	}
	f->lines.count = (size_t)(to - f->lines.items) + 1;
	return 0;
}

/* Two inlined copies of one callee on one line: their counts add up. */
static int collapse_callsites(struct source_function *f)
{
	struct source_function merged = {0};
	struct source_callsite *c;
	int rc = 0;

	vector_each (&f->callsites, c) {
		struct source_position at = {.line = c->at.line};
		struct source_function *to = source_function_callee(&merged, at, c->callee.name);

		rc = to ? source_function_merge(to, &c->callee) : -1;
		if (rc)
			break;
	}
	if (rc) {
		source_function_deinit(&merged);
		return rc;
	}
	vector_each (&f->callsites, c)
		source_function_deinit(&c->callee);
	vector_deinit(&f->callsites);
	f->callsites.items = merged.callsites.items;
	f->callsites.count = merged.callsites.count;
	f->callsites.capacity = merged.callsites.capacity;
	return 0;
}

static int collapse_function(struct source_function *f)
{
	struct source_callsite *c;

	/* Callsites first: copies are merged by discriminator before a line becomes one record. */
	if (collapse_callsites(f) || collapse_lines(f))
		return -1;
	vector_each (&f->callsites, c)
		if (collapse_function(&c->callee))
			return -1;
	return 0;
}

int gcov_collapse_profile(struct source_profile *p)
{
	struct source_function *f;

	vector_each (&p->functions, f)
		if (collapse_function(f))
			return -1;
	return 0;
}
