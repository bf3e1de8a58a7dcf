/* SPDX-License-Identifier: MIT */
/*
 * Each node is two vertices, `in` and `out`, with an arc between them that carries the node's own
 * count; each edge is an arc from an `out` to an `in`. Vertex 0 is the outside. Starting from the
 * measured counts, what comes into a vertex beyond what leaves it must be moved: by raising arcs
 * that leave (at their cost, without end) or by lowering arcs that come in (at their cost, down
 * to 0; the last step may have a higher one). All arcs lowered to 0 is always a solution, so there
 * always is one.
 *
 * Rising costs are several arcs side by side, each of a higher cost than the one before.
 *
 * Reduction: components whose vertices are all balanced stay as they are, and a balanced vertex
 * with one arc in and one out disappears: both arcs move by the same, so they become one.
 *
 * What is left is solved by our own network simplex (mcf/mincost.h), which reaches GLPK's optimum
 * in a fraction of its time (benchmarks/flow.c), or by the solver that the caller handed over. Very
 * large networks have few vertices that are out of balance, since few samples are in them: shortest
 * paths between those are sooner found.
 */
#include "mcf/flow.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define NONE	 UINT32_MAX
#define COST_MAX (1 << 23)

struct arc {
	uint32_t from, to; /* vertices */
	uint32_t next;	   /* in the chain that was made one arc; NONE at its end */
	uint32_t last;	   /* the chain's end, at its head */
	bool inner;	   /* of a chain, and not its head */
	uint64_t flow;
	uint32_t raise, lower, vanish; /* costs; of the chain at its head */
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
	__int128 *supply;
	enum flow_costs costs;
	VECTOR(struct mincost_arc) given;
	VECTOR(uint32_t) given_arc; /* the head that a given arc raises; lowered: its complement */
	size_t numbers;
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
			    .lower = c->lower,
			    .vanish = c->vanish > c->lower ? c->vanish : c->lower};
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
	return s->arcs && s->excess && s->parent && s->number && s->unbalanced && s->degrees &&
	       s->single && s->supply;
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
	vector_deinit(&s->given);
	vector_deinit(&s->given_arc);
}

static void flow_load(struct solver *s, const struct flow_network *n)
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

/* Sums of costs end somewhere, so that the solver's can't overflow. */
static uint32_t limited(uint32_t cost)
{
	return cost < COST_MAX ? cost : COST_MAX;
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
			head->raise = limited(head->raise + s->arcs[next].raise);
			head->lower = limited(head->lower + s->arcs[next].lower);
			head->vanish = limited(head->vanish + s->arcs[next].vanish);
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

/* One more arc for the simplex, which raises flow of chain @arc, or lowers it (its complement). */
static int give(struct solver *s, uint32_t arc, uint64_t capacity, uint32_t cost)
{
	bool lowers = arc >> 31;
	const struct arc *head = &s->arcs[lowers ? ~arc : arc];
	uint32_t from = number_of(s, head->from), to = number_of(s, s->arcs[head->last].to);
	struct mincost_arc given = {.from = lowers ? to : from,
				    .to = lowers ? from : to,
				    .capacity = capacity,
				    .cost = limited(cost)};

	return vector_add(&s->given, given) || vector_add(&s->given_arc, arc) ? -1 : 0;
}

/*
 * Rising costs, in stretches of one cost each: the first is FIRST_STRETCH of what was measured,
 * each other one twice the one before it, and none that lowers more than half of what is left,
 * until FIRST_STRETCH is. Beyond FARTHEST of what was measured the cost hardly rises any more.
 */
#define FIRST_STRETCH 64
#define FARTHEST      16

/* The cost in the middle of @width steps that begin @done away from @measured. */
static uint32_t step_cost(uint32_t first, uint64_t measured, bool lowers, uint64_t done,
			  uint64_t width)
{
	double c = (double)measured, d = (double)done + (double)width / 2;

	return (uint32_t)fmin(1 + first * d / (lowers ? c - d : c + d), COST_MAX);
}

static int give_steps(struct solver *s, uint32_t arc, uint64_t measured, uint64_t capacity,
		      uint32_t cost)
{
	bool lowers = arc >> 31;
	uint64_t width = measured / FIRST_STRETCH ? measured / FIRST_STRETCH : 1, done = 0;

	if (s->costs == FLOW_FLAT || !measured)
		return give(s, arc, capacity, cost);
	while (done < capacity && (lowers || done / FARTHEST < measured)) {
		uint64_t steps = width < capacity - done ? width : capacity - done;
		uint64_t half = (measured - done) / 2;

		if (lowers && half > measured / FIRST_STRETCH && steps > half)
			steps = half;
		if (give(s, arc, steps, step_cost(cost, measured, lowers, done, steps)))
			return -1;
		done += steps;
		width = width < capacity / 2 ? 2 * width : capacity;
	}
	return done < capacity ? give(s, arc, capacity - done, cost) : 0;
}

static void extremes_of_chain(const struct solver *s, const struct arc *head, uint64_t *least,
			      uint64_t *most)
{
	*least = *most = head->flow;
	for (uint32_t i = head->next; i != NONE; i = s->arcs[i].next) {
		uint64_t flow = s->arcs[i].flow;

		*least = flow < *least ? flow : *least;
		*most = flow > *most ? flow : *most;
	}
}

/* A chain's steps up and down from its @least and @most flow, which at links are the same. */
static int pose_chain(struct solver *s, uint32_t i, uint64_t least, uint64_t most)
{
	const struct arc *a = &s->arcs[i];
	bool apart = least && a->vanish > a->lower;

	if (give_steps(s, i, least, FLOW_COUNT_LIMIT - 1 - most, a->raise))
		return -1;
	if (least > apart && give_steps(s, ~i, least, least - apart, a->lower))
		return -1;
	return apart ? give(s, ~i, 1, a->vanish) : 0;
}

/* A vertex's supply is what it has in excess: that is to be moved away. */
static int pose(struct solver *s)
{
	for (size_t v = 0; v < s->vertices; v++)
		s->number[v] = NONE;
	for (uint32_t i = 0; i < s->arcs_count; i++) {
		struct arc *a = &s->arcs[i];
		uint32_t from, to;
		uint64_t least, most;

		if (a->inner || !takes_part(s, a))
			continue;
		from = number_of(s, a->from);
		to = number_of(s, s->arcs[a->last].to);
		extremes_of_chain(s, a, &least, &most);
		s->supply[to] += least;
		s->supply[from] -= least;
		/* A ring, through the outside or at one vertex, has nothing to gain. */
		if (from != to && pose_chain(s, i, least, most))
			return -1;
	}
	return 0;
}

static void apply(struct solver *s)
{
	for (size_t i = 0; i < s->given.count; i++) {
		uint32_t arc = s->given_arc.items[i];
		bool lowers = arc >> 31;
		uint64_t by = s->given.items[i].flow;

		for (uint32_t k = lowers ? ~arc : arc; by && k != NONE; k = s->arcs[k].next)
			s->arcs[k].flow += lowers ? -by : by;
	}
}

static uint64_t cost_of(const struct solver *s)
{
	unsigned __int128 sum = 0;

	for (size_t i = 0; i < s->given.count; i++)
		sum += (unsigned __int128)s->given.items[i].flow * s->given.items[i].cost;
	return sum < UINT64_MAX ? (uint64_t)sum : UINT64_MAX;
}

static enum mincost_outcome run_other(struct solver *s, const struct flow_solver *other)
{
	return other->solve(s->supply, s->numbers, s->given.items, s->given.count);
}

static enum mincost_outcome solve_own(struct solver *s)
{
	enum mincost_outcome outcome = MINCOST_FAILED;

	if (s->numbers >= FLOW_PATHS_NODES_LEAST)
		outcome = shortest_paths_solve(s->supply, s->numbers, s->given.items,
					       s->given.count, FLOW_PATHS_WORK_MAX);
	return outcome == MINCOST_OPTIMAL ? outcome
					  : simplex_solve(s->supply, s->numbers, s->given.items,
							  s->given.count, FLOW_WORK_MAX);
}

static enum mincost_outcome flow_run(struct solver *s, const struct flow_solver *other,
				     struct flow_stats *stats)
{
	enum mincost_outcome outcome;

	if (other && !other->last) {
		outcome = run_other(s, other);
		stats->by_other += outcome == MINCOST_OPTIMAL;
		if (outcome == MINCOST_OPTIMAL)
			return outcome;
		stats->too_large += outcome == MINCOST_TOO_LARGE;
		stats->given_up += outcome != MINCOST_TOO_LARGE;
	}
	outcome = solve_own(s);
	if (outcome != MINCOST_OPTIMAL && other && other->last && s->numbers <= FLOW_LAST_NODES_MAX)
		outcome = run_other(s, other);
	return outcome;
}

static enum flow_outcome solve(struct solver *s, const struct flow_solver *other,
			       struct flow_stats *stats)
{
	uint64_t cost;

	measure_excess(s);
	if (!find_unbalanced(s))
		return FLOW_CONSISTENT;
	join_chains(s);
	if (pose(s))
		return FLOW_NO_MEMORY;
	stats->solved[0] += s->numbers;
	stats->solved[1] += s->given.count;
	if (flow_run(s, other, stats) != MINCOST_OPTIMAL)
		return FLOW_FAILED;
	cost = cost_of(s);
	stats->cost = cost < UINT64_MAX - stats->cost ? stats->cost + cost : UINT64_MAX;
	apply(s);
	return FLOW_SOLVED;
}

static void store(struct flow_count *c, uint64_t flow, struct flow_stats *stats)
{
	c->flow = flow;
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

enum flow_outcome flow_solve(struct flow_network *n, const struct flow_solver *solver,
			     struct flow_stats *stats)
{
	struct flow_stats unwanted = {0};
	struct solver s = {0};
	enum flow_outcome outcome = FLOW_TOO_LARGE;
	bool moved;

	stats = stats ? stats : &unwanted;
	if (is_in_limits(n)) {
		outcome = FLOW_NO_MEMORY;
		if (allocate(&s, n)) {
			flow_load(&s, n);
			s.costs = n->costs;
			outcome = solve(&s, solver, stats);
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
	stats->given[0] += n->nodes.count;
	stats->given[1] += n->edges.count;
	release(&s);
	return outcome;
}
