/* SPDX-License-Identifier: MIT */
#include "formats/model/source_merge.h"

#include <string.h>

struct merge {
	struct source_profile *to;
	const struct strings *names; /* of what is added */
	uint64_t weight;
};

static uint64_t weighed(const struct merge *m, uint64_t n)
{
	uint64_t product;

	return __builtin_mul_overflow(n, m->weight, &product) ? UINT64_MAX : product;
}

static uint32_t translated(const struct merge *m, uint32_t name)
{
	return strings_add_text(m->to->strings, strings_text(m->names, name));
}

static int add_lines(const struct merge *m, struct source_function *to,
		     const struct source_function *from)
{
	const struct source_target *t;
	const struct source_line *l;

	vector_each (&from->lines, l) {
		struct source_line *mine = source_function_line(to, l->at);

		if (!mine)
			return -1;
		mine->count = source_count_add(mine->count, weighed(m, l->count));
		vector_each (&l->targets, t) {
			uint32_t name = translated(m, t->name);

			if (name == STRINGS_NONE ||
			    source_line_add_target(mine, name, weighed(m, t->count)))
				return -1;
		}
	}
	return 0;
}

/* Which of two files a function is in does not depend on the order of merging. */
static void choose_file(const struct merge *m, struct source_function *to, uint32_t file)
{
	const char *theirs = strings_text(m->to->strings, file);
	const char *ours = strings_text(m->to->strings, to->file);

	if (*theirs && (!*ours || strcmp(theirs, ours) < 0))
		to->file = file;
}

static int add_function(const struct merge *m, struct source_function *to,
			const struct source_function *from)
{
	const struct source_callsite *c;
	uint32_t file = translated(m, from->file);

	if (file == STRINGS_NONE)
		return -1;
	choose_file(m, to, file);
	source_function_add_total(to, from, m->weight);
	to->head = source_count_add(to->head, weighed(m, from->head));
	if (add_lines(m, to, from))
		return -1;
	vector_each (&from->callsites, c) {
		uint32_t name = translated(m, c->callee.name);
		struct source_function *mine = name == STRINGS_NONE
						       ? NULL
						       : source_function_callee(to, c->at, name);

		if (!mine || add_function(m, mine, &c->callee))
			return -1;
	}
	return 0;
}

bool source_profiles_agree(const struct source_profile *a, const struct source_profile *b)
{
	return a->md5_names == b->md5_names || !a->functions.count || !b->functions.count;
}

int source_profile_add(struct source_profile *to, const struct source_profile *from,
		       uint64_t weight)
{
	const struct merge m = {to, from->strings, weight};
	const struct source_function *f;

	to->llvm_producer |= from->llvm_producer;
	to->dotted_names |= from->dotted_names;
	to->llvm_finished = from->llvm_finished && (to->llvm_finished || !to->functions.count);
	to->md5_names |= from->md5_names;
	vector_each (&from->functions, f) {
		uint32_t name = translated(&m, f->name);
		struct source_function *mine = name == STRINGS_NONE
						       ? NULL
						       : source_profile_function(to, name);

		if (!mine || add_function(&m, mine, f))
			return -1;
	}
	return 0;
}
