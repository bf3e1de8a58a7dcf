/* SPDX-License-Identifier: MIT */
#include "converter/layout/function_orders.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/order.h"

/* Beyond a large page a cluster gains nothing by growing. */
#define CLUSTER_BYTES_MAX (UINT64_C(2) << 20)
/* A cluster that would become so many times less dense stays as it is. */
#define DENSITY_LOSS_MAX 8

/* ---- from addresses to functions ------------------------------------------------------------ */

/* All functions of the binary, of which those that ran have a name, until the rest is left out. */
struct graph_maker {
	const struct binary *binary;
	const struct binary_function *functions;
	size_t count;
	struct graph_function *ran; /* as many */
	struct map calls; /* (from + 1, to + 1), indices of functions -> n = times, m = offsets,
			     added up */
};

/* The function that holds @va, which ran then; NULL if none does. */
static struct graph_function *ran_at(struct graph_maker *m, uint64_t va)
{
	const struct binary_function *f = binary_function_at(m->binary, va);
	struct graph_function *g = f ? &m->ran[f - m->functions] : NULL;

	if (g) {
		g->name = f->name;
		g->size = f->end - f->begin ?: 1;
	}
	return g;
}

/* A branch to where another function begins is a call, or a jump that is one. */
static int add_branch(struct graph_maker *m, const struct map_entry *branch)
{
	struct graph_function *from = ran_at(m, branch->a), *to = ran_at(m, branch->b);

	if (!from || !to || from == to || m->functions[to - m->ran].begin != branch->b)
		return 0;
	return map_add(&m->calls, (uint64_t)(from - m->ran) + 1, (uint64_t)(to - m->ran) + 1,
		       branch->n, branch->n * (branch->a - m->functions[from - m->ran].begin));
}

static int count_profile(struct graph_maker *m, const struct branch_profile *p,
			 const struct map *first_runs)
{
	const struct map_entry *e;
	struct graph_function *g;

	map_each (&p->ranges, e) {
		g = ran_at(m, e->a);
		if (g)
			g->weight += e->n * (e->b - e->a + 1);
	}
	map_each (&p->branches, e)
		if (add_branch(m, e))
			return -1;
	map_each (first_runs, e) {
		g = ran_at(m, e->a);
		if (g)
			g->first_ns = order_least_known(g->first_ns, e->n);
	}
	return 0;
}

/* @numbers: of each function of the binary that in the graph. */
static int add_functions(struct graph_maker *m, struct function_graph *g, uint32_t *numbers)
{
	for (size_t i = 0; i < m->count; i++) {
		if (!m->ran[i].name)
			continue;
		numbers[i] = (uint32_t)g->functions.count;
		if (vector_add(&g->functions, m->ran[i]))
			return -1;
	}
	return 0;
}

static int add_calls(struct graph_maker *m, struct function_graph *g, const uint32_t *numbers)
{
	struct map_entry **sorted = map_sorted(&m->calls);
	int rc = sorted ? 0 : -1;

	for (size_t i = 0; i < m->calls.count && !rc; i++)
		rc = vector_add(&g->calls,
				(struct graph_call){numbers[sorted[i]->a - 1],
						    numbers[sorted[i]->b - 1], sorted[i]->n,
						    sorted[i]->m / (sorted[i]->n ?: 1)});
	memory_free(sorted);
	return rc;
}

int function_orders_graph(struct function_graph *g, const struct binary *b,
			  const struct branch_profile *p, const struct map *first_runs)
{
	struct graph_maker m = {.binary = b};
	uint32_t *numbers;
	int rc = -1;

	m.functions = binary_functions(b, &m.count);
	m.ran = memory_alloc_array(m.count, sizeof(*m.ran));
	numbers = memory_alloc_array(m.count, sizeof(*numbers));
	if (m.ran && numbers)
		rc = count_profile(&m, p, first_runs) || add_functions(&m, g, numbers) ||
				     add_calls(&m, g, numbers)
			     ? -1
			     : 0;
	memory_free(m.ran);
	memory_free(numbers);
	map_deinit(&m.calls);
	return rc;
}

/* ---- call-chain clustering ------------------------------------------------------------------- */

#define NONE UINT32_MAX

/* A function, and the cluster that it is the first of. */
struct cluster {
	uint64_t size, weight; /* of the cluster */
	uint32_t first;	       /* of the function's cluster */
	uint32_t next, last;   /* function behind this one; NONE. last: of the cluster */
	uint32_t caller;       /* that calls the function most; NONE */
	uint64_t calls;	       /* its */
};

static bool is_denser(const struct cluster *a, const struct cluster *b)
{
	return (unsigned __int128)a->weight * b->size > (unsigned __int128)b->weight * a->size;
}

/* Would @a lose too much by what is put behind it? */
static bool fit_together(const struct cluster *a, const struct cluster *b)
{
	const struct cluster both = {.size = a->size + b->size,
				     .weight = DENSITY_LOSS_MAX * (a->weight + b->weight)};

	return both.size <= CLUSTER_BYTES_MAX && !is_denser(a, &both);
}

static void put_behind(struct cluster *all, uint32_t a, uint32_t b)
{
	all[all[a].last].next = b;
	all[a].last = all[b].last;
	all[a].size += all[b].size;
	all[a].weight += all[b].weight;
	for (uint32_t i = b; i != NONE; i = all[i].next)
		all[i].first = a;
}

static struct cluster *one_each(const struct function_graph *g)
{
	struct cluster *all = memory_alloc_array(g->functions.count, sizeof(*all));
	const struct graph_call *call;

	for (uint32_t i = 0; all && i < g->functions.count; i++)
		all[i] = (struct cluster){g->functions.items[i].size,
					  g->functions.items[i].weight,
					  i,
					  NONE,
					  i,
					  NONE,
					  0};
	if (all)
		vector_each (&g->calls, call)
			if (call->n > all[call->to].calls) {
				all[call->to].caller = call->from;
				all[call->to].calls = call->n;
			}
	return all;
}

/* What qsort compares functions by: of each a number, the greatest first; then as they are. */
struct ranked {
	uint64_t rank;
	uint32_t function;
};

ORDER_BY(by_rank, struct ranked, ORDER_DOWN(rank) ?: ORDER_UP(function));

static void join_clusters(const struct function_graph *g, struct cluster *all,
			  struct ranked *ranked)
{
	for (uint32_t i = 0; i < g->functions.count; i++)
		ranked[i] = (struct ranked){g->functions.items[i].weight, i};
	qsort(ranked, g->functions.count, sizeof(*ranked), by_rank);
	for (size_t i = 0; i < g->functions.count; i++) {
		/* it is still the first of its cluster: what it calls is behind it at most */
		uint32_t f = ranked[i].function, caller = all[f].caller,
			 a = caller == NONE ? f : all[caller].first;

		if (a != f && fit_together(&all[a], &all[f]))
			put_behind(all, a, f);
	}
}

/* The first functions of clusters, the densest first: their number. */
static uint32_t rank_clusters(const struct function_graph *g, const struct cluster *all,
			      struct ranked *ranked)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < g->functions.count; i++)
		if (all[i].first == i)
			ranked[count++] = (struct ranked){
				(uint64_t)((double)all[i].weight / (double)all[i].size * 1024), i};
	qsort(ranked, count, sizeof(*ranked), by_rank);
	return count;
}

int function_orders_by_calls(const struct function_graph *g, uint32_t *order)
{
	struct ranked *ranked = memory_alloc_array(g->functions.count, sizeof(*ranked));
	struct cluster *all = one_each(g);
	int rc = all && ranked ? 0 : -1;

	if (!rc) {
		join_clusters(g, all, ranked);
		for (uint32_t i = 0, n = rank_clusters(g, all, ranked); i < n; i++)
			for (uint32_t f = ranked[i].function; f != NONE; f = all[f].next)
				*order++ = f;
	}
	memory_free(all);
	memory_free(ranked);
	return rc;
}

int function_orders_by_start(const struct function_graph *g, uint32_t *order)
{
	struct ranked *ranked = memory_alloc_array(g->functions.count, sizeof(*ranked));
	int rc = ranked ? function_orders_by_calls(g, order) : -1;

	/* the earliest first: what is not known, 0, becomes the latest */
	for (uint32_t i = 0; i < g->functions.count && !rc; i++)
		ranked[i] = (struct ranked){
			UINT64_MAX - (g->functions.items[order[i]].first_ns - 1), i};
	if (!rc) {
		qsort(ranked, g->functions.count, sizeof(*ranked), by_rank);
		for (uint32_t i = 0; i < g->functions.count; i++)
			ranked[i].function = order[ranked[i].function];
		for (uint32_t i = 0; i < g->functions.count; i++)
			order[i] = ranked[i].function;
	}
	memory_free(ranked);
	return rc;
}
