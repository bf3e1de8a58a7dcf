/* SPDX-License-Identifier: MIT */
/*
 * Which way will a branch go, by the look of the code alone? The heuristics of Wu and Larus (Static
 * Branch Frequency and Program Profile Analysis, MICRO 27), as far as machine code shows them:
 * loops, calls and returns; several are combined as evidence (Dempster and Shafer).
 */
#include "converter/cfg/cfg.h"

#include "base/memory.h"

#define NONE UINT32_MAX

/* How often the heuristics are right, as Wu and Larus measured it. */
#define LOOP_BRANCH 0.88 /* an edge back to the loop's header is taken */
#define LOOP_EXIT   0.80 /* one out of the loop is not */
#define LOOP_HEADER 0.75 /* one to the header of a loop is taken */
#define CALLS	    0.78 /* one to a block with a call is not */
#define RETURNS	    0.72 /* one to a block that returns is not */

struct graph {
	const struct cfg *cfg;
	uint32_t *first;  /* per segment: where its edges begin in `edges`; and the end of all */
	uint32_t *edges;  /* numbers of edges, by segment */
	uint32_t *header; /* per segment: of the innermost loop around it, NONE; not its own */
	bool *heads;	  /* is it a loop's header? */
	uint32_t *at;	  /* per segment: place on the path from the root, 1..; 0 = not on it */
	bool *visited;
	uint32_t *next; /* per segment: edge to look at next */
	uint32_t *path;
};

static void group_edges(struct graph *g)
{
	const struct flow_edge *e;
	size_t segments = g->cfg->segments.count;

	vector_each (&g->cfg->network.edges, e)
		if (e->from != FLOW_OUTSIDE)
			g->first[e->from + 1]++;
	for (size_t i = 0; i < segments; i++) {
		g->first[i + 1] += g->first[i];
		g->next[i] = g->first[i];
	}
	vector_each (&g->cfg->network.edges, e)
		if (e->from != FLOW_OUTSIDE)
			g->edges[g->next[e->from]++] = (uint32_t)(e - g->cfg->network.edges.items);
	for (size_t i = 0; i < segments; i++)
		g->next[i] = g->first[i];
}

/*
 * @header is the header of a loop around @v: weave it into the chain of headers around @v, the
 * innermost first. (Wei, Mao, Zou, Chen: A New Algorithm for Identifying Loops in Decompilation,
 * SAS 2007.)
 */
static void tag(struct graph *g, uint32_t v, uint32_t header)
{
	while (header != NONE && v != header) {
		uint32_t outer = g->header[v];

		if (outer == header)
			return;
		if (outer == NONE || g->at[outer] < g->at[header]) {
			g->header[v] = header;
			v = header;
			header = outer;
		} else {
			v = outer;
		}
	}
}

/* An edge from @v, which is on the path, to what has been visited. */
static void look_back(struct graph *g, uint32_t v, uint32_t to)
{
	uint32_t header;

	if (g->at[to]) {
		g->heads[to] = true;
		tag(g, v, to);
		return;
	}
	header = g->header[to];
	while (header != NONE && !g->at[header])
		header = g->header[header]; /* a loop that is entered in its middle */
	tag(g, v, header);
}

static void search_from(struct graph *g, uint32_t root)
{
	uint32_t depth = 1;

	g->path[0] = root;
	g->visited[root] = true;
	g->at[root] = 1;
	while (depth) {
		uint32_t v = g->path[depth - 1], to;

		if (g->next[v] < g->first[v + 1]) {
			to = g->cfg->network.edges.items[g->edges[g->next[v]++]].to;
			if (to == FLOW_OUTSIDE)
				continue;
			if (g->visited[to]) {
				look_back(g, v, to);
				continue;
			}
			g->visited[to] = true;
			g->at[to] = ++depth;
			g->path[depth - 1] = to;
			continue;
		}
		g->at[v] = 0;
		if (!--depth)
			return;
		tag(g, g->path[depth - 1], g->header[v]);
	}
}

static bool is_in_loop(const struct graph *g, uint32_t segment, uint32_t header)
{
	for (; segment != NONE; segment = g->header[segment])
		if (segment == header)
			return true;
	return false;
}

/* The probability, by one heuristic each, that control goes by @e rather than by @other. */
static double combine(double a, double b)
{
	return a * b / (a * b + (1 - a) * (1 - b));
}

static bool leaves_loop(const struct graph *g, uint32_t from, uint32_t to)
{
	uint32_t loop = g->heads[from] ? from : g->header[from];

	return loop != NONE && (to == FLOW_OUTSIDE || !is_in_loop(g, to, loop));
}

static bool goes_back(const struct graph *g, uint32_t from, uint32_t to)
{
	return to != FLOW_OUTSIDE && g->heads[to] && is_in_loop(g, from, to);
}

static bool enters_loop(const struct graph *g, uint32_t from, uint32_t to)
{
	return to != FLOW_OUTSIDE && g->heads[to] && !is_in_loop(g, from, to);
}

static bool ends_in(const struct graph *g, uint32_t segment, bool call)
{
	uint8_t kind = segment == FLOW_OUTSIDE ? ISA_OTHER : g->cfg->segments.items[segment].kind;

	return call ? isa_is_call(kind) : kind == ISA_RETURN;
}

/* The chance of going to @a, not to @b. */
static double chance(const struct graph *g, uint32_t from, uint32_t a, uint32_t b)
{
	double p = 0.5;

	if (goes_back(g, from, a) != goes_back(g, from, b))
		p = combine(p, goes_back(g, from, a) ? LOOP_BRANCH : 1 - LOOP_BRANCH);
	else if (leaves_loop(g, from, a) != leaves_loop(g, from, b))
		p = combine(p, leaves_loop(g, from, a) ? 1 - LOOP_EXIT : LOOP_EXIT);
	if (enters_loop(g, from, a) != enters_loop(g, from, b))
		p = combine(p, enters_loop(g, from, a) ? LOOP_HEADER : 1 - LOOP_HEADER);
	if (ends_in(g, a, true) != ends_in(g, b, true))
		p = combine(p, ends_in(g, a, true) ? 1 - CALLS : CALLS);
	if (ends_in(g, a, false) != ends_in(g, b, false))
		p = combine(p, ends_in(g, a, false) ? 1 - RETURNS : RETURNS);
	return p;
}

static void static_branch_judge(const struct graph *g, uint32_t segment, double *shares)
{
	const struct flow_edge *edges = g->cfg->network.edges.items;
	uint32_t begin = g->first[segment], count = g->first[segment + 1] - begin;
	bool call = isa_is_call(g->cfg->segments.items[segment].kind);

	if (count == 2 && g->cfg->segments.items[segment].kind == ISA_JUMP_CONDITIONAL) {
		uint32_t a = g->edges[begin], b = g->edges[begin + 1];

		shares[a] = chance(g, segment, edges[a].to, edges[b].to);
		shares[b] = 1 - shares[a];
		return;
	}
	for (uint32_t i = begin; i < begin + count; i++) {
		if (!call || count == 1) /* a switch has no favourite */
			shares[g->edges[i]] = 1.0 / count;
		else /* calls come back */
			shares[g->edges[i]] = g->cfg->kinds.items[g->edges[i]] == CFG_RETURNED ? 1
											       : 0;
	}
}

static void judge_all(struct graph *g, double *shares)
{
	const struct flow_edge *e;

	group_edges(g);
	for (uint32_t i = 0; i < g->cfg->segments.count; i++)
		g->header[i] = NONE;
	for (uint32_t i = 0; i < g->cfg->segments.count; i++)
		if (!g->visited[i])
			search_from(g, i);
	vector_each (&g->cfg->network.edges, e)
		if (e->from == FLOW_OUTSIDE)
			shares[e - g->cfg->network.edges.items] = 1;
	for (uint32_t i = 0; i < g->cfg->segments.count; i++)
		static_branch_judge(g, i, shares);
}

double *static_branches_shares(const struct cfg *cfg)
{
	size_t segments = cfg->segments.count, edges = cfg->network.edges.count;
	struct graph g = {
		.cfg = cfg,
		.first = memory_alloc_array(segments + 2, sizeof(*g.first)),
		.edges = memory_alloc_array(edges + 1, sizeof(*g.edges)),
		.header = memory_alloc_array(segments + 1, sizeof(*g.header)),
		.heads = memory_alloc_array(segments + 1, sizeof(*g.heads)),
		.at = memory_alloc_array(segments + 1, sizeof(*g.at)),
		.visited = memory_alloc_array(segments + 1, sizeof(*g.visited)),
		.next = memory_alloc_array(segments + 1, sizeof(*g.next)),
		.path = memory_alloc_array(segments + 1, sizeof(*g.path)),
	};
	double *shares = memory_alloc_array(edges + 1, sizeof(*shares));

	if (shares && g.first && g.edges && g.header && g.heads && g.at && g.visited && g.next &&
	    g.path) {
		judge_all(&g, shares);
	} else {
		memory_free(shares);
		shares = NULL;
	}
	memory_free(g.first);
	memory_free(g.edges);
	memory_free(g.header);
	memory_free(g.heads);
	memory_free(g.at);
	memory_free(g.visited);
	memory_free(g.next);
	memory_free(g.path);
	return shares;
}
