/* SPDX-License-Identifier: MIT */
/*
 * Each node is two vertices, `in` and `out`, with an arc between them that carries the node's own
 * count; each edge is an arc from an `out` to an `in`. Vertex 0 is the outside. Starting from the
 * measured counts, what comes into a vertex beyond what leaves it must be moved: by raising arcs
 * that leave (at their price, without end) or by lowering arcs that come in (at their price, down
 * to 0). All arcs lowered to 0 is always a solution, so there always is one.
 *
 * Reduction: components whose vertices are all balanced stay as they are, and a balanced vertex
 * with one arc in and one out disappears: both arcs move by the same, so they become one.
 *
 * Counts beyond the solver's integers: solved in units of 2^shift, then again for what the units
 * left over, which is less than 2^shift per arc, until nothing is left.
 */
#include "mcf/flow.h"

#include <string.h>

#include "base/memory.h"
#include "mcf/mincost.h"

#define NONE	  UINT32_MAX
#define PRICE_MAX (MINCOST_LIMIT / 64)

struct arc {
	uint32_t from, to; /* vertices */
	uint32_t next;	   /* in the chain that was made one arc; NONE at its end */
	uint32_t last;	   /* the chain's end, at its head */
	bool inner;	   /* of a chain, and not its head */
	uint64_t flow;
	uint32_t raise, lower; /* prices; of the chain at its head */
};

struct solver {
	struct arc *arcs;
	size_t arcs_count, vertices;
	__int128 *excess;  /* in minus out, per vertex */
	uint32_t *parent;  /* union-find of components */
	uint32_t *number;  /* a vertex's number for mincost; NONE = not given to it */
	bool *unbalanced;  /* per component's root */
	uint32_t *degrees; /* per vertex: arcs in, arcs out */
	uint32_t *single;  /* per vertex: an arc in, an arc out */
	int32_t *supply;
	struct mincost_arc *given;
	uint32_t *given_arc; /* the head that a given arc raises; lowered: its complement */
	size_t given_count, numbers;
	bool counted; /* in the statistics */
};

void flow_network_deinit(struct flow_network *n)
{
	vector_deinit(&n->nodes);
	vector_deinit(&n->edges);
}

static uint32_t vertex_in(uint32_t node)
{
	return node == FLOW_OUTSIDE ? 0 : 1 + 2 * node;
}

static uint32_t vertex_out(uint32_t node)
{
	return node == FLOW_OUTSIDE ? 0 : 2 + 2 * node;
}

static struct arc make_arc(uint32_t from, uint32_t to, uint32_t self, const struct flow_count *c)
{
	return (struct arc){.from = from,
			    .to = to,
			    .next = NONE,
			    .last = self,
			    .flow = c->measured,
			    .raise = c->raise,
			    .lower = c->lower};
}

static bool allocate(struct solver *s, const struct flow_network *n)
{
	s->arcs_count = n->nodes.count + n->edges.count;
	s->vertices = 1 + 2 * n->nodes.count;
	s->arcs = memory_alloc_array(s->arcs_count + 1, sizeof(*s->arcs));
	s->excess = memory_alloc_array(s->vertices, sizeof(*s->excess));
	s->parent = memory_alloc_array(s->vertices, sizeof(*s->parent));
	s->number = memory_alloc_array(s->vertices, sizeof(*s->number));
	s->unbalanced = memory_alloc_array(s->vertices, sizeof(*s->unbalanced));
	s->degrees = memory_alloc_array(s->vertices, 2 * sizeof(*s->degrees));
	s->single = memory_alloc_array(s->vertices, 2 * sizeof(*s->single));
	s->supply = memory_alloc_array(s->vertices, sizeof(*s->supply));
	s->given = memory_alloc_array(2 * s->arcs_count + 1, sizeof(*s->given));
	s->given_arc = memory_alloc_array(2 * s->arcs_count + 1, sizeof(*s->given_arc));
	return s->arcs && s->excess && s->parent && s->number && s->unbalanced && s->degrees &&
	       s->single && s->supply && s->given && s->given_arc;
}

static void release(struct solver *s)
{
	memory_free(s->arcs);
	memory_free(s->excess);
	memory_free(s->parent);
	memory_free(s->number);
	memory_free(s->unbalanced);
	memory_free(s->degrees);
	memory_free(s->single);
	memory_free(s->supply);
	memory_free(s->given);
	memory_free(s->given_arc);
}

static void load(struct solver *s, const struct flow_network *n)
{
	size_t nodes = n->nodes.count;

	for (uint32_t i = 0; i < nodes; i++)
		s->arcs[i] = make_arc(vertex_in(i), vertex_out(i), i, &n->nodes.items[i]);
	for (size_t i = 0; i < n->edges.count; i++) {
		const struct flow_edge *e = &n->edges.items[i];

		s->arcs[nodes + i] = make_arc(vertex_out(e->from), vertex_in(e->to),
					      (uint32_t)(nodes + i), &e->count);
	}
}

static void measure_excess(struct solver *s)
{
	memset(s->excess, 0, s->vertices * sizeof(*s->excess));
	for (size_t i = 0; i < s->arcs_count; i++) {
		s->excess[s->arcs[i].to] += s->arcs[i].flow;
		s->excess[s->arcs[i].from] -= s->arcs[i].flow;
	}
}

static uint32_t find_root(uint32_t *parent, uint32_t v)
{
	while (parent[v] != v) {
		parent[v] = parent[parent[v]];
		v = parent[v];
	}
	return v;
}

/* Components touch each other only at the outside, which carries no flow from one to another. */
static bool find_unbalanced(struct solver *s)
{
	bool any = false;

	for (uint32_t v = 0; v < s->vertices; v++)
		s->parent[v] = v;
	for (size_t i = 0; i < s->arcs_count; i++) {
		const struct arc *a = &s->arcs[i];

		if (a->from && a->to)
			s->parent[find_root(s->parent, a->from)] = find_root(s->parent, a->to);
	}
	for (uint32_t v = 1; v < s->vertices; v++) {
		if (!s->excess[v])
			continue;
		s->unbalanced[find_root(s->parent, v)] = true;
		any = true;
	}
	return any;
}

static bool takes_part(struct solver *s, const struct arc *a)
{
	uint32_t v = a->from ? a->from : a->to;

	return v && s->unbalanced[find_root(s->parent, v)];
}

/* Is @v balanced, with one arc in and another one out? */
static bool is_link(const struct solver *s, uint32_t v)
{
	return v && !s->excess[v] && s->degrees[2 * v] == 1 && s->degrees[2 * v + 1] == 1 &&
	       s->single[2 * v] != s->single[2 * v + 1];
}

/* Sums of prices end somewhere, so that the solver's can't overflow. */
static uint32_t price(uint32_t p)
{
	return p < PRICE_MAX ? p : PRICE_MAX;
}

static void join_chains(struct solver *s)
{
	for (uint32_t i = 0; i < s->arcs_count; i++) {
		const struct arc *a = &s->arcs[i];

		s->degrees[2 * a->to]++;
		s->degrees[2 * a->from + 1]++;
		s->single[2 * a->to] = i;
		s->single[2 * a->from + 1] = i;
	}
	for (uint32_t i = 0; i < s->arcs_count; i++) {
		struct arc *head = &s->arcs[i];

		if (is_link(s, head->from))
			continue; /* its chain begins farther up, or is a ring, which is balanced */
		for (uint32_t at = i; is_link(s, s->arcs[at].to);) {
			uint32_t next = s->single[2 * s->arcs[at].to + 1];

			s->arcs[at].next = next;
			s->arcs[next].inner = true;
			head->last = next;
			head->raise = price(head->raise + s->arcs[next].raise);
			head->lower = price(head->lower + s->arcs[next].lower);
			at = next;
		}
	}
}

static uint32_t number_of(struct solver *s, uint32_t vertex)
{
	if (s->number[vertex] == NONE)
		s->number[vertex] = (uint32_t)s->numbers++;
	return s->number[vertex];
}

static void give(struct solver *s, uint32_t from, uint32_t to, uint64_t capacity, uint32_t cost,
		 uint32_t arc)
{
	int32_t limit = MINCOST_LIMIT - 1;

	s->given_arc[s->given_count] = arc;
	s->given[s->given_count++] = (struct mincost_arc){
		.from = from,
		.to = to,
		.capacity = capacity < (uint64_t)limit ? (int32_t)capacity : limit,
		.cost = (int32_t)price(cost),
	};
}

static uint64_t least_of_chain(const struct solver *s, const struct arc *head)
{
	uint64_t least = head->flow;

	for (uint32_t i = head->next; i != NONE; i = s->arcs[i].next)
		least = s->arcs[i].flow < least ? s->arcs[i].flow : least;
	return least;
}

/* The problem in units of 2^@shift; returns the positive sum of its supplies. */
static int64_t pose(struct solver *s, unsigned shift)
{
	__int128 sum = 0, *supply = memory_alloc_array(s->vertices, sizeof(*supply));
	size_t over = 0;

	if (!supply)
		return -1;
	s->given_count = s->numbers = 0;
	for (size_t v = 0; v < s->vertices; v++)
		s->number[v] = NONE;
	for (uint32_t i = 0; i < s->arcs_count; i++) {
		struct arc *a = &s->arcs[i];
		uint32_t from, to;
		uint64_t cap;

		if (a->inner || !takes_part(s, a))
			continue;
		from = number_of(s, a->from);
		to = number_of(s, s->arcs[a->last].to);
		/* At links all flows are equal, so the units of a chain are those of any arc. */
		cap = least_of_chain(s, a) >> shift;
		supply[to] += cap;
		supply[from] -= cap;
		if (from == to)
			continue; /* a ring, through the outside or at one vertex: nothing to gain
				   */
		give(s, from, to, UINT64_MAX, a->raise, i);
		if (cap)
			give(s, to, from, cap, a->lower, ~i);
	}
	for (size_t v = 0; v < s->numbers; v++) {
		sum += supply[v] > 0 ? supply[v] : 0;
		over += supply[v] >= MINCOST_LIMIT || supply[v] <= -MINCOST_LIMIT ||
			sum >= MINCOST_LIMIT;
		s->supply[v] = over ? 0 : (int32_t)supply[v];
	}
	memory_free(supply);
	return over ? MINCOST_LIMIT : (int64_t)sum;
}

static bool move_chain(struct solver *s, uint32_t head, bool raise, uint64_t by)
{
	for (uint32_t i = head; i != NONE; i = s->arcs[i].next) {
		struct arc *a = &s->arcs[i];

		if (raise ? by >= FLOW_COUNT_LIMIT - a->flow : by > a->flow)
			return false;
		a->flow += raise ? by : -by;
	}
	return true;
}

static bool apply(struct solver *s, unsigned shift)
{
	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < s->given_count; i++) {
			uint32_t arc = s->given_arc[i];
			uint64_t by = (uint64_t)s->given[i].flow << shift;
			bool lowers = arc >> 31;

			if (lowers != !pass || !by)
				continue;
			if (by >> shift != (uint64_t)s->given[i].flow ||
			    !move_chain(s, lowers ? ~arc : arc, !lowers, by))
				return false;
		}
	}
	return true;
}

/* One round: the smallest unit that the solver's integers allow. */
static enum flow_outcome run_round(struct solver *s, struct flow_stats *stats, unsigned *shift)
{
	int64_t sum;

	for (;; ++*shift) {
		sum = pose(s, *shift);
		if (sum < 0)
			return FLOW_NO_MEMORY;
		if (sum < MINCOST_LIMIT)
			break;
	}
	if (s->numbers > MINCOST_NODES_MAX || s->given_count > MINCOST_ARCS_MAX)
		return FLOW_TOO_LARGE;
	if (stats && !s->counted) {
		stats->solved[0] += s->numbers;
		stats->solved[1] += s->given_count;
		s->counted = true;
	}
	if (sum &&
	    mincost_solve(s->supply, s->numbers, s->given, s->given_count) != MINCOST_OPTIMAL)
		return FLOW_FAILED;
	return !sum || apply(s, *shift) ? FLOW_SOLVED : FLOW_TOO_LARGE;
}

static bool is_balanced(const struct solver *s)
{
	for (size_t v = 0; v < s->vertices; v++)
		if (s->excess[v])
			return false;
	return true;
}

static enum flow_outcome run_rounds(struct solver *s, struct flow_stats *stats)
{
	measure_excess(s);
	if (!find_unbalanced(s))
		return FLOW_CONSISTENT;
	join_chains(s);
	/* Each round leaves less than a unit per arc, so the units shrink; 8 are plenty. */
	for (unsigned round = 0; round < 8; round++) {
		unsigned shift = 0;
		enum flow_outcome outcome = run_round(s, stats, &shift);

		if (outcome != FLOW_SOLVED)
			return outcome;
		measure_excess(s);
		if (is_balanced(s))
			return FLOW_SOLVED;
	}
	return FLOW_FAILED;
}

static void store(struct flow_count *c, uint64_t flow, struct flow_stats *stats)
{
	c->flow = flow;
	if (!stats)
		return;
	stats->raised += flow > c->measured ? flow - c->measured : 0;
	stats->lowered += flow < c->measured ? c->measured - flow : 0;
}

static bool is_in_limits(const struct flow_network *n)
{
	const struct flow_count *c;
	const struct flow_edge *e;

	if (n->nodes.count + n->edges.count > 1u << 28)
		return false;
	vector_each (&n->nodes, c)
		if (c->measured >= FLOW_COUNT_LIMIT)
			return false;
	vector_each (&n->edges, e)
		if (e->count.measured >= FLOW_COUNT_LIMIT)
			return false;
	return true;
}

enum flow_outcome flow_solve(struct flow_network *n, struct flow_stats *stats)
{
	struct solver s = {0};
	enum flow_outcome outcome = FLOW_TOO_LARGE;
	bool moved;

	if (is_in_limits(n)) {
		outcome = FLOW_NO_MEMORY;
		if (allocate(&s, n)) {
			load(&s, n);
			outcome = run_rounds(&s, stats);
		}
	}
	moved = outcome == FLOW_SOLVED;
	for (size_t i = 0; i < n->nodes.count; i++)
		store(&n->nodes.items[i], moved ? s.arcs[i].flow : n->nodes.items[i].measured,
		      stats);
	for (size_t i = 0; i < n->edges.count; i++)
		store(&n->edges.items[i].count,
		      moved ? s.arcs[n->nodes.count + i].flow : n->edges.items[i].count.measured,
		      stats);
	if (stats) {
		stats->given[0] += n->nodes.count;
		stats->given[1] += n->edges.count;
	}
	release(&s);
	return outcome;
}
