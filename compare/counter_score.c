/* SPDX-License-Identifier: MIT */
#include "compare/counter_score.h"

#include <math.h>

#include "base/order.h"

/* Both sides of a function; either may be NULL. */
struct both {
	const struct counter_entry *of[2];
};

/* Counters are of the same arcs, though the function may stand at other lines. */
static bool same_graph(const struct both *b)
{
	return b->of[0] && b->of[1] &&
	       b->of[0]->function->cfg_checksum == b->of[1]->function->cfg_checksum;
}

/* The sum of the minima of the arcs' counts, each side divided by its @whole. */
static double arcs_overlap(const struct both *b, const double whole[2])
{
	const struct counter_set *x, *y;
	double sum = 0;

	if (!same_graph(b))
		return 0;
	x = counter_function_set(b->of[0]->function, COUNTER_KIND_ARCS);
	y = counter_function_set(b->of[1]->function, COUNTER_KIND_ARCS);
	for (size_t i = 0; x && y && i < x->counts.count && i < y->counts.count; i++)
		sum += fmin((double)x->counts.items[i] / whole[0],
			    (double)y->counts.items[i] / whole[1]);
	return sum;
}

static int add_pair(struct counter_comparison *c, const struct both *b, const double whole[2],
		    unsigned reference)
{
	double total[2] = {b->of[0] ? (double)b->of[0]->total : 0,
			   b->of[1] ? (double)b->of[1]->total : 0};
	double shared = whole[0] > 0 && whole[1] > 0 ? arcs_overlap(b, whole) : 0;
	struct counter_pair p = {.arcs = NAN};

	for (unsigned side = 0; side < 2; side++) {
		p.of[side] = b->of[side] ? b->of[side]->function : NULL;
		p.share[side] = whole[side] > 0 ? total[side] / whole[side] : 0;
	}
	if (total[0] > 0 && total[1] > 0)
		p.arcs = arcs_overlap(b, total);
	p.lost = p.share[reference] - shared;
	c->arcs += shared;
	c->function += fmin(p.share[0], p.share[1]);
	c->within += isnan(p.arcs) ? 0 : p.share[reference] * p.arcs;
	return vector_add(&c->pairs, p);
}

static int order_entries(const struct counter_entry *x, const struct counter_entry *y)
{
	const struct counter_function *a = x->function, *b = y->function;

	return ORDER_UP(ident) ?: ORDER_UP(lineno_checksum) ?: ORDER_UP(cfg_checksum);
}

/* Has @l, from @at on, the very function of @e? Those of one ident are few. */
static bool has_same(const struct counter_list *l, size_t at, const struct counter_entry *e)
{
	for (; at < l->items.count && l->items.items[at].function->ident == e->function->ident;
	     at++)
		if (!order_entries(&l->items.items[at], e))
			return true;
	return false;
}

/* The next function of either list. Those of one ident are one function, unless there are several:
 * then those that are the same in all belong together. */
static struct both next_pair(const struct counter_list lists[2], size_t at[2])
{
	struct both b = {0};

	for (unsigned side = 0; side < 2; side++)
		if (at[side] < lists[side].items.count)
			b.of[side] = &lists[side].items.items[at[side]];
	if (b.of[0] && b.of[1]) {
		int order = order_entries(b.of[0], b.of[1]);
		unsigned later = order < 0;

		if (b.of[0]->function->ident != b.of[1]->function->ident ||
		    (order && has_same(&lists[!later], at[!later], b.of[later])))
			b.of[later] = NULL;
	}
	for (unsigned side = 0; side < 2; side++)
		at[side] += b.of[side] != NULL;
	return b;
}

int counter_score_compare(const struct counter_list lists[2], unsigned reference,
			  struct counter_comparison *out)
{
	const double whole[2] = {(double)lists[0].total, (double)lists[1].total};
	size_t at[2] = {0, 0};
	struct both b;

	*out = (struct counter_comparison){0};
	for (b = next_pair(lists, at); b.of[0] || b.of[1]; b = next_pair(lists, at))
		if (add_pair(out, &b, whole, reference))
			return -1;
	return 0;
}

void counter_score_deinit(struct counter_comparison *c)
{
	vector_deinit(&c->pairs);
}
