/* SPDX-License-Identifier: MIT */
/*
 * A source profile as if nothing had been inlined: each inlined instance counts to the function of
 * its name, and its call site becomes a call.
 */
#include "compare/source_score.h"

/* Names keep their numbers only as text. */
struct flattener {
	const struct source_profile *from;
	struct source_profile *to;
};

static uint32_t translated(const struct flattener *f, uint32_t name)
{
	return strings_add_text(f->to->strings, strings_text(f->from->strings, name));
}

/* How often an inlined instance was entered: the count of its first line, or of its first line's
 * inlined call. */
static uint64_t entries(const struct source_function *f)
{
	const struct source_line *line = f->lines.count ? f->lines.items : NULL;
	const struct source_callsite *site = f->callsites.count ? f->callsites.items : NULL;

	if (line && (!site || line->at.line <= site->at.line))
		return line->count;
	return site ? entries(&site->callee) : 0;
}

static int add_line(const struct flattener *f, uint32_t name, const struct source_line *line)
{
	struct source_function *to = source_profile_function(f->to, name);
	struct source_line *mine = to ? source_function_line(to, line->at) : NULL;
	const struct source_target *t;

	if (!mine)
		return -1;
	mine->count = source_count_add(mine->count, line->count);
	vector_each (&line->targets, t) {
		uint32_t callee = translated(f, t->name);

		if (callee == STRINGS_NONE || source_line_add_target(mine, callee, t->count))
			return -1;
	}
	return 0;
}

/* The line of a call that was inlined, where nothing else of the line is left. */
static int add_call(const struct flattener *f, uint32_t name, const struct source_function *caller,
		    const struct source_callsite *site)
{
	struct source_function *to;
	struct source_line *mine;
	const struct source_line *line;
	uint32_t callee = translated(f, site->callee.name);
	uint64_t n = entries(&site->callee);

	to = source_profile_function(f->to, name);
	mine = to ? source_function_line(to, site->at) : NULL;
	if (!mine || callee == STRINGS_NONE || source_line_add_target(mine, callee, n))
		return -1;
	vector_each (&caller->lines, line) {
		if (line->at.line == site->at.line &&
		    line->at.discriminator == site->at.discriminator)
			return 0;
	}
	mine->count = source_count_add(mine->count, n);
	return 0;
}

static int flatten(const struct flattener *f, const struct source_function *function)
{
	uint32_t name = translated(f, function->name);
	struct source_function *to;
	const struct source_callsite *site;
	const struct source_line *line;

	if (name == STRINGS_NONE)
		return -1;
	to = source_profile_function(f->to, name);
	if (!to)
		return -1;
	to->head = source_count_add(to->head, function->head);
	vector_each (&function->lines, line)
		if (add_line(f, name, line))
			return -1;
	vector_each (&function->callsites, site)
		if (add_call(f, name, function, site) || flatten(f, &site->callee))
			return -1;
	return 0;
}

int source_flatten_profile(const struct source_profile *from, struct source_profile *to)
{
	struct flattener f = {from, to};
	const struct source_function *function;

	if (source_profile_init(to))
		return -1;
	vector_each (&from->functions, function)
		if (flatten(&f, function))
			return -1;
	return source_profile_sort(to);
}
