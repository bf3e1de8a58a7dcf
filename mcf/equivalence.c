/* SPDX-License-Identifier: MIT */
/*
 * Which nodes of a flow network have the same flow, whatever the flow is? Those that every cycle
 * through one of them passes all of (Johnson, Pearson, Pingali: The Program Structure Tree, PLDI
 * 1994). What is known of one is known of the others.
 *
 * Each node is an arc between two vertices, as in mcf/flow.c. Of a spanning tree of the graph,
 * taken without directions, each arc that is not in the tree closes one cycle and gets a random
 * number; each arc of the tree the numbers of all cycles through it, added without carry. Arcs with
 * the same number are in the same cycles: others have it with a chance of 2^-64.
 */
#include "mcf/flow.h"

#include <stdbool.h>

#include "base/memory.h"

#define NONE UINT32_MAX

struct arc {
	uint32_t end[2];  /* vertices */
	uint32_t next[2]; /* the next arc at each */
	uint64_t label;
	bool in_tree;
};

struct graph {
	struct arc *arcs;
	uint32_t *first; /* per vertex: twice an arc, plus which of its ends this is */
	uint32_t *order; /* vertices as they were reached */
	uint32_t *up;	 /* per vertex: the arc to where it was reached from */
	bool *reached;
	uint64_t *sum; /* per vertex: of the arcs at it that are in no tree, and then of what is
			  below */
	uint32_t arcs_count, vertices;
};

static uint64_t scramble(uint64_t n)
{
	n *= UINT64_C(0x9e3779b97f4a7c15);
	n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
	return n ^ n >> 31;
}

static void add_arc(struct graph *g, uint32_t from, uint32_t to)
{
	uint32_t number = g->arcs_count++;
	struct arc *a = &g->arcs[number];

	*a = (struct arc){.end = {from, to}, .next = {g->first[from], NONE}};
	g->first[from] = 2 * number;
	a->next[1] = g->first[to];
	g->first[to] = 2 * number + 1;
}

static void equivalence_load(struct graph *g, const struct flow_network *n)
{
	uint32_t nodes = (uint32_t)n->nodes.count;
	const struct flow_edge *e;

	for (uint32_t v = 0; v < g->vertices; v++)
		g->first[v] = NONE;
	for (uint32_t i = 0; i < nodes; i++)
		add_arc(g, 1 + 2 * i, 2 + 2 * i);
	vector_each (&n->edges, e)
		add_arc(g, e->from == FLOW_OUTSIDE ? 0 : 2 + 2 * e->from,
			e->to == FLOW_OUTSIDE ? 0 : 1 + 2 * e->to);
	for (uint32_t v = 1; v < g->vertices; v++)
		if (g->arcs[g->first[v] / 2].next[g->first[v] % 2] ==
		    NONE) /* the node's own alone */
			add_arc(g, v, 0);
}

static void reach_from(struct graph *g, uint32_t root, uint32_t *count)
{
	uint32_t done = *count;

	g->reached[root] = true;
	g->up[root] = NONE;
	g->order[(*count)++] = root;
	for (; done < *count; done++) {
		uint32_t v = g->order[done];

		for (uint32_t i = g->first[v]; i != NONE; i = g->arcs[i / 2].next[i % 2]) {
			struct arc *a = &g->arcs[i / 2];
			uint32_t to = a->end[!(i % 2)];

			if (g->reached[to])
				continue;
			a->in_tree = true;
			g->reached[to] = true;
			g->up[to] = i / 2;
			g->order[(*count)++] = to;
		}
	}
}

static void label_arcs(struct graph *g)
{
	uint32_t count = 0;

	for (uint32_t v = 0; v < g->vertices; v++)
		if (!g->reached[v])
			reach_from(g, v, &count);
	for (uint32_t i = 0; i < g->arcs_count; i++) {
		struct arc *a = &g->arcs[i];

		if (a->in_tree)
			continue;
		a->label = scramble(i + 1);
		g->sum[a->end[0]] ^= a->label;
		g->sum[a->end[1]] ^= a->label;
	}
	while (count--) {
		uint32_t v = g->order[count];
		struct arc *a = g->up[v] == NONE ? NULL : &g->arcs[g->up[v]];

		if (!a)
			continue;
		a->label = g->sum[v];
		g->sum[a->end[a->end[0] == v]] ^= a->label;
	}
}

int equivalence_classes(const struct flow_network *n, uint64_t *labels)
{
	size_t vertices = 1 + 2 * n->nodes.count;
	size_t arcs = 3 * n->nodes.count + n->edges.count;
	struct graph g = {
		.vertices = (uint32_t)vertices,
		.arcs = memory_alloc_array(arcs + 1, sizeof(*g.arcs)),
		.first = memory_alloc_array(vertices, sizeof(*g.first)),
		.order = memory_alloc_array(vertices, sizeof(*g.order)),
		.up = memory_alloc_array(vertices, sizeof(*g.up)),
		.reached = memory_alloc_array(vertices, sizeof(*g.reached)),
		.sum = memory_alloc_array(vertices, sizeof(*g.sum)),
	};
	bool fits = g.arcs && g.first && g.order && g.up && g.reached && g.sum;

	if (fits) {
		equivalence_load(&g, n);
		label_arcs(&g);
		for (size_t i = 0; i < n->nodes.count; i++)
			labels[i] = g.arcs[i].label;
	}
	memory_free(g.arcs);
	memory_free(g.first);
	memory_free(g.order);
	memory_free(g.up);
	memory_free(g.reached);
	memory_free(g.sum);
	return fits ? 0 : -1;
}
