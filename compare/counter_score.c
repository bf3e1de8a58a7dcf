/* SPDX-License-Identifier: MIT */
#include "compare/counter_score.h"

#include <math.h>

#include "base/memory.h"

/* Both sides of a function; either may be NULL. */
struct both {
	const struct counter_function *of[2];
};

static double minimum(double a, double b)
{
	return a < b ? a : b;
}

static double total_of(const struct counter_function *f)
{
	const struct counter_set *s = f ? counter_function_set(f, COUNTER_KIND_ARCS) : NULL;
	const uint64_t *count;
	double total = 0;

	if (s)
		vector_each (&s->counts, count)
			total += (double)*count;
	return total;
}

static bool same_graph(const struct both *b)
{
	return b->of[0] && b->of[1] && b->of[0]->cfg_checksum == b->of[1]->cfg_checksum &&
	       b->of[0]->lineno_checksum == b->of[1]->lineno_checksum;
}

/* The sum of the minima of the arcs' counts, each side divided by its @whole. */
static double overlap(const struct both *b, const double whole[2])
{
	const struct counter_set *x, *y;
	double sum = 0;

	if (!same_graph(b))
		return 0;
	x = counter_function_set(b->of[0], COUNTER_KIND_ARCS);
	y = counter_function_set(b->of[1], COUNTER_KIND_ARCS);
	for (size_t i = 0; x && y && i < x->counts.count && i < y->counts.count; i++)
		sum += minimum((double)x->counts.items[i] / whole[0],
			       (double)y->counts.items[i] / whole[1]);
	return sum;
}

static void compare_pair(struct counter_comparison *c, struct counter_pair *p, const struct both *b,
			 unsigned reference)
{
	double shared = c->total[0] > 0 && c->total[1] > 0 ? overlap(b, c->total) : 0;

	for (unsigned side = 0; side < 2; side++)
		p->share[side] = c->total[side] > 0 ? p->total[side] / c->total[side] : 0;
	p->differ = b->of[0] && b->of[1] && !same_graph(b);
	p->arcs = p->total[0] > 0 && p->total[1] > 0 ? overlap(b, p->total) : NAN;
	p->lost = p->share[reference] - shared;
	c->arcs += shared;
	c->function += minimum(p->share[0], p->share[1]);
}

static int by_ident(const void *a, const void *b)
{
	const struct counter_function *const *x = a, *const *y = b;

	return (*x)->ident < (*y)->ident ? -1 : (*x)->ident > (*y)->ident;
}

typedef VECTOR(const struct counter_function *) function_list;

static int list(const struct counter_profile *p, function_list *out)
{
	const struct counter_function *f;

	vector_each (&p->functions, f) {
		const struct counter_function **slot = f->absent ? NULL : vector_push(out);

		if (slot)
			*slot = f;
		else if (!f->absent)
			return -1;
	}
	vector_sort(out, by_ident);
	return 0;
}

/* The next function of either list, by ident. */
static struct both next(const function_list lists[2], size_t at[2])
{
	struct both b = {0};

	for (unsigned side = 0; side < 2; side++)
		if (at[side] < lists[side].count)
			b.of[side] = lists[side].items[at[side]];
	if (b.of[0] && b.of[1] && b.of[0]->ident != b.of[1]->ident)
		b.of[b.of[0]->ident < b.of[1]->ident] = NULL;
	for (unsigned side = 0; side < 2; side++)
		at[side] += b.of[side] != NULL;
	return b;
}

static int pair_up(struct counter_comparison *c, const function_list lists[2], unsigned reference)
{
	size_t at[2] = {0, 0};
	struct both b;

	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < lists[side].count; i++)
			c->total[side] += total_of(lists[side].items[i]);
	for (b = next(lists, at); b.of[0] || b.of[1]; b = next(lists, at)) {
		struct counter_pair *p = vector_push(&c->pairs);

		if (!p)
			return -1;
		p->ident = (b.of[0] ? b.of[0] : b.of[1])->ident;
		p->total[0] = total_of(b.of[0]);
		p->total[1] = total_of(b.of[1]);
		compare_pair(c, p, &b, reference);
	}
	return 0;
}

int counter_score_compare(const struct counter_profile *first, const struct counter_profile *second,
			  unsigned reference, struct counter_comparison *out)
{
	function_list lists[2] = {{0}};
	int rc;

	*out = (struct counter_comparison){0};
	rc = list(first, &lists[0]) || list(second, &lists[1]) ? -1
							       : pair_up(out, lists, reference);
	vector_deinit(&lists[0]);
	vector_deinit(&lists[1]);
	return rc;
}

void counter_score_deinit(struct counter_comparison *c)
{
	vector_deinit(&c->pairs);
}
