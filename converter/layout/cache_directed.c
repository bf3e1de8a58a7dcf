/* SPDX-License-Identifier: MIT */
/*
 * Cache-directed sort, as LLVM documents its own (llvm/Transforms/Utils/CodeLayout.h). Chains of
 * functions are merged while that makes misses rarer: in a cache of a few places, each of so many
 * bytes, what is dense with calls is there; and a call is the likelier to find its function there
 * the nearer that is.
 */
#include "converter/layout/function_orders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/order.h"

#define PLACE_BYTES  2048
#define MISSES_SCALE 0.25
/* Longer chains are not merged: there distance tells nothing any more. */
#define CHAIN_FUNCTIONS_MAX 512
#define NONE		    UINT32_MAX

typedef VECTOR(uint32_t) numbers;

struct sorted_chain {
	numbers functions; /* none: it is a part of another */
	numbers links;
	uint64_t bytes;
	double runs;
	uint32_t best; /* the link that gains most; NONE */
	bool stale;
};

/* Two chains with calls between them. */
struct call_link {
	uint32_t a, b;
	numbers calls;
	double gain;
	bool swapped; /* b goes first */
	bool gone;
};

struct sorter {
	const struct function_graph *g;
	double *runs; /* of each function */
	double all;
	struct sorted_chain *chains;
	uint32_t *chain_of; /* of each function */
	uint64_t *offsets;  /* of it in its chain */
	VECTOR(struct call_link) links;
	struct map link_of; /* (smaller chain, larger chain) -> n = number of link + 1 */
};

/* ---- what a merger gains --------------------------------------------------------------------- */

/* To the power of the cache's 16 places. */
static double to_the_16th(double x)
{
	x *= x;
	x *= x;
	x *= x;
	return x * x;
}

/* How often code that runs so often misses, as far as it is left to the density of its chain. */
static double misses(const struct sorter *s, double runs, uint64_t bytes)
{
	double share = runs / (double)bytes * PLACE_BYTES / s->all;

	return share >= 1 ? 0 : runs * to_the_16th(1 - share);
}

static double distance_gain(const struct sorter *s, const struct call_link *l, bool swapped)
{
	uint32_t first = swapped ? l->b : l->a;
	uint64_t behind = s->chains[first].bytes;
	double sum = 0;

	for (size_t i = 0; i < l->calls.count; i++) {
		const struct graph_call *c = &s->g->calls.items[l->calls.items[i]];
		uint64_t from = s->offsets[c->from] + c->offset +
				(s->chain_of[c->from] == first ? 0 : behind),
			 to = s->offsets[c->to] + (s->chain_of[c->to] == first ? 0 : behind),
			 distance = from > to ? from - to : to - from;

		sum += (double)c->n / sqrt(sqrt(distance ? (double)distance : 0.1));
	}
	return sum;
}

static void find_gain(const struct sorter *s, struct call_link *l)
{
	const struct sorted_chain *a = &s->chains[l->a], *b = &s->chains[l->b];
	double there, back, rarer;

	l->gain = 0;
	if (a->functions.count + b->functions.count > CHAIN_FUNCTIONS_MAX)
		return;
	there = distance_gain(s, l, false);
	back = distance_gain(s, l, true);
	rarer = misses(s, a->runs, a->bytes) + misses(s, b->runs, b->bytes) -
		misses(s, a->runs + b->runs, a->bytes + b->bytes);
	l->swapped = back > there;
	l->gain = (l->swapped ? back : there) + MISSES_SCALE * rarer;
	if (l->gain > 0)
		l->gain /= (double)(a->bytes < b->bytes ? a->bytes : b->bytes);
}

static void find_best(const struct sorter *s, struct sorted_chain *c)
{
	c->best = NONE;
	c->stale = false;
	for (size_t i = 0; i < c->links.count; i++) {
		const struct call_link *l = &s->links.items[c->links.items[i]];

		if (!l->gone && l->gain > 0 &&
		    (c->best == NONE || l->gain > s->links.items[c->best].gain))
			c->best = c->links.items[i];
	}
}

/* ---- merging --------------------------------------------------------------------------------- */

static struct call_link *link_between(struct sorter *s, uint32_t a, uint32_t b)
{
	uint32_t low = a < b ? a : b, high = a < b ? b : a;
	size_t before = s->links.count;
	struct call_link *l = map_item(&s->link_of, low, high, &s->links,
				       (struct call_link){.a = low, .b = high});

	if (l && s->links.count > before &&
	    (vector_add(&s->chains[low].links, (uint32_t)before) ||
	     vector_add(&s->chains[high].links, (uint32_t)before)))
		return NULL;
	return l;
}

static int move_links(struct sorter *s, uint32_t to, uint32_t from)
{
	for (size_t i = 0; i < s->chains[from].links.count; i++) {
		struct call_link *old = &s->links.items[s->chains[from].links.items[i]], *l;
		uint32_t other = old->a == from ? old->b : old->a;
		numbers calls = old->calls;
		int rc = 0;

		if (old->gone)
			continue;
		old->gone = true;
		old->calls = (numbers){0};
		l = other == to ? NULL : link_between(s, to, other);
		for (size_t k = 0; k < calls.count && other != to && !rc; k++)
			rc = l ? vector_add(&l->calls, calls.items[k]) : -1;
		vector_deinit(&calls);
		if (rc)
			return -1;
	}
	return 0;
}

/* What links of a chain gain, and which of them is best at their other ends, is to be found anew.
 */
static void renew_links(struct sorter *s, uint32_t chain)
{
	struct sorted_chain *c = &s->chains[chain];

	for (size_t i = 0; i < c->links.count; i++) {
		struct call_link *l = &s->links.items[c->links.items[i]];

		if (l->gone)
			continue;
		find_gain(s, l);
		s->chains[l->a].stale = s->chains[l->b].stale = true;
	}
	c->stale = true;
}

/* The functions of a chain, and behind them those of another one. */
static int join_functions(struct sorter *s, const struct sorted_chain *first,
			  const struct sorted_chain *second, numbers *joined)
{
	if (vector_reserve(joined, first->functions.count + second->functions.count))
		return -1;
	for (size_t i = 0; i < first->functions.count; i++)
		joined->items[joined->count++] = first->functions.items[i];
	for (size_t i = 0; i < second->functions.count; i++) {
		joined->items[joined->count++] = second->functions.items[i];
		s->offsets[second->functions.items[i]] += first->bytes;
	}
	return 0;
}

/* The chain with more links takes the other one in, wherever that goes. */
static int merge(struct sorter *s, const struct call_link *l)
{
	uint32_t into = s->chains[l->a].links.count < s->chains[l->b].links.count ? l->b : l->a,
		 from = into == l->a ? l->b : l->a;
	struct sorted_chain *a = &s->chains[into], *b = &s->chains[from];
	bool is_first = (into == l->a) != l->swapped;
	numbers joined = {0};

	if (join_functions(s, is_first ? a : b, is_first ? b : a, &joined))
		return -1;
	for (size_t i = 0; i < b->functions.count; i++)
		s->chain_of[b->functions.items[i]] = into;
	vector_deinit(&a->functions);
	a->functions = joined;
	a->bytes += b->bytes;
	a->runs += b->runs;
	if (move_links(s, into, from))
		return -1;
	vector_deinit(&b->functions);
	vector_deinit(&b->links);
	b->best = NONE;
	b->stale = false;
	renew_links(s, into);
	return 0;
}

static int merge_all(struct sorter *s)
{
	for (;;) {
		uint32_t best = NONE;

		for (uint32_t i = 0; i < s->g->functions.count; i++) {
			struct sorted_chain *c = &s->chains[i];

			if (c->stale)
				find_best(s, c);
			if (c->best != NONE && (best == NONE || s->links.items[c->best].gain >
									s->links.items[best].gain))
				best = c->best;
		}
		if (best == NONE)
			return 0;
		if (merge(s, &(struct call_link){.a = s->links.items[best].a,
						 .b = s->links.items[best].b,
						 .swapped = s->links.items[best].swapped}))
			return -1;
	}
}

/* ---- the order ------------------------------------------------------------------------------- */

static int begin_chains(struct sorter *s)
{
	const struct graph_call *call;

	for (uint32_t i = 0; i < s->g->functions.count; i++) {
		const struct graph_function *f = &s->g->functions.items[i];

		s->runs[i] = (double)f->weight / (double)f->size;
		s->all += s->runs[i];
		s->chain_of[i] = i;
		s->chains[i] = (struct sorted_chain){
			.bytes = f->size, .runs = s->runs[i], .best = NONE, .stale = true};
		if (vector_add(&s->chains[i].functions, i))
			return -1;
	}
	vector_each (&s->g->calls, call) {
		struct call_link *l = link_between(s, call->from, call->to);

		if (!l || vector_add(&l->calls, (uint32_t)(call - s->g->calls.items)))
			return -1;
	}
	for (size_t i = 0; i < s->links.count; i++)
		find_gain(s, &s->links.items[i]);
	return 0;
}

struct dense_chain {
	double density;
	uint32_t chain;
};

ORDER_BY(by_density, struct dense_chain, ORDER_DOWN(density) ?: ORDER_UP(chain));

static int write_order(const struct sorter *s, uint32_t *order)
{
	struct dense_chain *dense = memory_alloc_array(s->g->functions.count, sizeof(*dense));
	uint32_t count = 0;

	for (uint32_t i = 0; dense && i < s->g->functions.count; i++)
		if (s->chains[i].functions.count)
			dense[count++] = (struct dense_chain){
				s->chains[i].runs / (double)s->chains[i].bytes, i};
	if (dense)
		qsort(dense, count, sizeof(*dense), by_density);
	for (uint32_t i = 0; i < count; i++) {
		const numbers *f = &s->chains[dense[i].chain].functions;

		memcpy(order, f->items, f->count * sizeof(*order));
		order += f->count;
	}
	memory_free(dense);
	return dense ? 0 : -1;
}

static void sorter_deinit(struct sorter *s)
{
	struct call_link *l;

	for (size_t i = 0; s->chains && i < s->g->functions.count; i++) {
		vector_deinit(&s->chains[i].functions);
		vector_deinit(&s->chains[i].links);
	}
	vector_each (&s->links, l)
		vector_deinit(&l->calls);
	vector_deinit(&s->links);
	map_deinit(&s->link_of);
	memory_free(s->runs);
	memory_free(s->chains);
	memory_free(s->chain_of);
	memory_free(s->offsets);
}

int cache_directed_order(const struct function_graph *g, uint32_t *order)
{
	struct sorter s = {.g = g};
	size_t count = g->functions.count;
	int rc = -1;

	if (count > CACHE_DIRECTED_FUNCTIONS_MAX)
		return function_orders_by_calls(g, order);
	s.runs = memory_alloc_array(count, sizeof(*s.runs));
	s.chains = memory_alloc_array(count, sizeof(*s.chains));
	s.chain_of = memory_alloc_array(count, sizeof(*s.chain_of));
	s.offsets = memory_alloc_array(count, sizeof(*s.offsets));
	if (s.runs && s.chains && s.chain_of && s.offsets)
		rc = begin_chains(&s) || merge_all(&s) || write_order(&s, order) ? -1 : 0;
	sorter_deinit(&s);
	return rc;
}
