/* SPDX-License-Identifier: MIT */
#include "compare/source_score.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"

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
static uint64_t flat_entries(const struct source_function *f)
{
	const struct source_line *line = f->lines.count ? f->lines.items : NULL;
	const struct source_callsite *site = f->callsites.count ? f->callsites.items : NULL;

	if (line && (!site || line->at.line <= site->at.line))
		return line->count;
	return site ? flat_entries(&site->callee) : 0;
}

static int flatten_line(const struct flattener *f, uint32_t name, const struct source_line *line)
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
static int flatten_call(const struct flattener *f, uint32_t name,
			const struct source_function *caller, const struct source_callsite *site)
{
	struct source_function *to;
	struct source_line *mine;
	const struct source_line *line;
	uint32_t callee = translated(f, site->callee.name);
	uint64_t n = flat_entries(&site->callee);

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

static int flatten_function(const struct flattener *f, const struct source_function *function)
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
		if (flatten_line(f, name, line))
			return -1;
	vector_each (&function->callsites, site)
		if (flatten_call(f, name, function, site) || flatten_function(f, &site->callee))
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
		if (flatten_function(&f, function))
			return -1;
	return source_profile_sort(to);
}

/* The share of samples that hot counts make up together, per million: LLVM's
 * ProfileSummaryCutoffHot. */
#define HOT_CUTOFF 990000

struct comparer {
	struct source_comparison *out;
	const struct source_profile *profiles[2];
	uint64_t hot[2]; /* counts from here on are hot */
	double targets_total[2];
	/* The counts of the function at hand, by (inline stack, position): count + 1, 0 = not
	 * there. */
	struct map lines;
	struct map targets; /* (inline stack and position, callee) -> counts */
	/* raw counts of all functions, as llvm-profdata sums them up */
	double least, greatest, unique[2];
	uint64_t functions_common, functions_hot_common, functions_hot, blocks_hot_common,
		blocks_hot;
};

/* The number of what is called at @at of the stack @stack; STRINGS_NONE without memory. */
static uint32_t stack_below(struct comparer *c, uint32_t stack, struct source_position at,
			    const char *name)
{
	char text[64];
	uint32_t place;

	snprintf(text, sizeof(text), "%" PRIu32 "/%" PRId32 ".%" PRIu32 "/", stack, at.line,
		 at.discriminator);
	place = strings_add_text(c->out->names, text);
	if (place == STRINGS_NONE || !name)
		return place;
	stack = strings_add_text(c->out->names, name);
	if (stack == STRINGS_NONE)
		return stack;
	snprintf(text, sizeof(text), "%" PRIu32 "@%" PRIu32, place, stack);
	return strings_add_text(c->out->names, text);
}

static int add_targets(struct comparer *c, unsigned side, uint32_t stack,
		       const struct source_line *line)
{
	const struct source_target *t;

	vector_each (&line->targets, t) {
		const char *name = strings_text(c->profiles[side]->strings, t->name);
		uint32_t place = stack_below(c, stack, line->at, NULL),
			 callee = strings_add_text(c->out->names, name);
		struct map_entry *e = place == STRINGS_NONE || callee == STRINGS_NONE
					      ? NULL
					      : map_at(&c->targets, place, callee);

		if (!e)
			return -1;
		*(side ? &e->m : &e->n) += t->count;
	}
	return 0;
}

static int add_counts(struct comparer *c, unsigned side, uint32_t stack,
		      const struct source_function *f)
{
	const struct source_callsite *site;
	const struct source_line *line;

	vector_each (&f->lines, line) {
		struct map_entry *e = map_at(&c->lines, stack,
					     (uint64_t)(uint32_t)line->at.line << 32 |
						     line->at.discriminator);

		if (!e || add_targets(c, side, stack, line))
			return -1;
		*(side ? &e->m : &e->n) = line->count < UINT64_MAX ? line->count + 1 : UINT64_MAX;
	}
	vector_each (&f->callsites, site) {
		const char *name = strings_text(c->profiles[side]->strings, site->callee.name);
		uint32_t below = stack_below(c, stack, site->at, name);

		if (below == STRINGS_NONE || add_counts(c, side, below, &site->callee))
			return -1;
	}
	return 0;
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void count_hot(uint64_t *common, uint64_t *either, const bool hot[2])
{
	*common += hot[0] && hot[1];
	*either += hot[0] || hot[1];
}

static void score_location(struct comparer *c, struct source_pair *p, const struct map_entry *e,
			   unsigned reference, bool hot_function[2])
{
	bool there[2] = {e->n, e->m}, hot[2];
	uint64_t counts[2] = {e->n - there[0], e->m - there[1]};
	double within[2], overall[2];

	for (unsigned side = 0; side < 2; side++) {
		within[side] = share((double)counts[side], p->total[side]);
		overall[side] = share((double)counts[side], c->out->total[side]);
		hot[side] = c->hot[side] && counts[side] >= c->hot[side];
		hot_function[side] |= hot[side];
		if (there[side] && !there[!side])
			c->unique[side] += (double)counts[side];
	}
	count_hot(&c->blocks_hot_common, &c->blocks_hot, hot);
	c->least += (double)(counts[0] < counts[1] ? counts[0] : counts[1]);
	c->greatest += (double)(counts[0] > counts[1] ? counts[0] : counts[1]);
	p->line += fmin(within[0], within[1]);
	p->distance += fabs(within[0] - within[1]);
	p->lost += fmax(0, overall[reference] - overall[!reference]);
	c->out->score.line += fmin(overall[0], overall[1]);
}

/* LLVM's similarity: of the shape, less for a difference of weight. */
static double similarity(const struct source_pair *p)
{
	if (!p->sides[0] || !p->sides[1])
		return 0;
	return fmax(0, 2 - p->distance) / 2 * (1 - fabs(p->share[0] - p->share[1]));
}

static int score_pair(struct comparer *c, struct source_pair *p, unsigned reference)
{
	struct source_score *s = &c->out->score;
	bool hot[2] = {false, false};
	struct map_entry *e;

	for (unsigned side = 0; side < 2; side++) {
		p->share[side] = share(p->total[side], c->out->total[side]);
		if (p->sides[side] && add_counts(c, side, 0, p->sides[side]))
			return -1;
	}
	map_each (&c->lines, e)
		score_location(c, p, e, reference, hot);
	map_each (&c->targets, e)
		s->call += fmin(share((double)e->n, c->targets_total[0]),
				share((double)e->m, c->targets_total[1]));
	map_deinit(&c->lines);
	map_deinit(&c->targets);
	s->function += fmin(p->share[0], p->share[1]);
	s->llvm.program += similarity(p) * (p->share[0] + p->share[1]) / 2;
	c->functions_common += p->sides[0] && p->sides[1];
	count_hot(&c->functions_hot_common, &c->functions_hot, hot);
	return 0;
}

static double targets_of(const struct source_function *f)
{
	const struct source_callsite *site;
	const struct source_target *t;
	const struct source_line *line;
	double sum = 0;

	vector_each (&f->lines, line)
		vector_each (&line->targets, t)
			sum += (double)t->count;
	vector_each (&f->callsites, site)
		sum += targets_of(&site->callee);
	return sum;
}

static const char *name_of(const struct source_profile *p, size_t i)
{
	return i < p->functions.count ? strings_text(p->strings, p->functions.items[i].name) : NULL;
}

/* Which of the two comes first; 0 if both are the same. */
static int order(const char *a, const char *b)
{
	if (!a || !b)
		return a ? -1 : 1;
	return strcmp(a, b);
}

static int pair_up(struct comparer *c)
{
	size_t at[2] = {0, 0};

	for (;;) {
		const char *names[2] = {name_of(c->profiles[0], at[0]),
					name_of(c->profiles[1], at[1])};
		struct source_pair *p;
		int before;

		if (!names[0] && !names[1])
			return 0;
		before = order(names[0], names[1]);
		p = vector_push(&c->out->pairs);
		if (!p)
			return -1;
		p->name = strings_add_text(c->out->names, names[before > 0]);
		if (p->name == STRINGS_NONE)
			return -1;
		for (int side = 0; side < 2; side++) {
			if (side ? before < 0 : before > 0)
				continue;
			p->sides[side] = &c->profiles[side]->functions.items[at[side]++];
			p->total[side] = (double)source_function_total(p->sides[side]);
			c->out->total[side] += p->total[side];
			c->targets_total[side] += targets_of(p->sides[side]);
		}
	}
}

static int find_hot(struct comparer *c)
{
	struct profile_summary summary;

	for (unsigned side = 0; side < 2; side++) {
		if (source_profile_summarize(c->profiles[side], &summary))
			return -1;
		for (size_t i = 0; i < PROFILE_SUMMARY_CUTOFFS; i++)
			if (summary.entries[i].cutoff == HOT_CUTOFF)
				c->hot[side] = summary.entries[i].least;
	}
	return 0;
}

static double ratio(uint64_t part, uint64_t whole)
{
	return share((double)part, (double)whole);
}

int source_score_compare(const struct source_profile *first, const struct source_profile *second,
			 unsigned reference, struct source_comparison *out)
{
	struct comparer c = {.out = out, .profiles = {first, second}};
	struct source_similarity *l = &out->score.llvm;
	struct source_pair *p;
	int rc;

	*out = (struct source_comparison){.names = strings_new()};
	if (!out->names || find_hot(&c) || pair_up(&c))
		return -1;
	vector_each (&out->pairs, p) {
		rc = score_pair(&c, p, reference);
		if (rc) {
			map_deinit(&c.lines);
			map_deinit(&c.targets);
			return rc;
		}
	}
	if (c.targets_total[0] <= 0 && c.targets_total[1] <= 0)
		out->score.call = NAN;
	l->samples = share(c.least, c.greatest);
	l->unique[0] = share(c.unique[0], out->total[0]);
	l->unique[1] = share(c.unique[1], out->total[1]);
	l->functions = ratio(c.functions_common, out->pairs.count);
	l->hot_functions = ratio(c.functions_hot_common, c.functions_hot);
	l->hot_blocks = ratio(c.blocks_hot_common, c.blocks_hot);
	return 0;
}

void source_score_deinit(struct source_comparison *c)
{
	vector_deinit(&c->pairs);
	strings_free(c->names);
	c->names = NULL;
}
