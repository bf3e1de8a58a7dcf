/* SPDX-License-Identifier: MIT */
/*
 * Minimum-cost flow by the primal network simplex method: in integers, so that the result is exact
 * and the same everywhere, for networks and counts of any size. Memory is linear.
 *
 * The tree of basic arcs is kept strongly feasible, by which arc leaves it (Cunningham: A network
 * simplex method, 1976), so that it cannot cycle; which arc enters it is found block by block
 * (Kiraly, Kovacs: Efficient implementations of minimum-cost flow algorithms, 2012).
 */
#include "mcf/mincost.h"

#include "base/memory.h"

#define NONE UINT32_MAX

/* Where the flow of an arc is. */
#define AT_ZERO	    1
#define IN_TREE	    0
#define AT_CAPACITY (-1)

struct node {
	uint32_t parent, first, next, previous; /* in the tree: first child, siblings */
	uint32_t arc;				/* between it and its parent */
	uint32_t depth;
	bool up; /* the arc leads to the parent */
};

/*
 * Each node has an artificial arc between it and the root, without end and of a higher cost than
 * any path through the network: the first tree is of these. Arc number count + v is that of node v.
 */
struct solver {
	struct mincost_arc *arcs;
	size_t count, nodes;
	struct node *tree; /* nodes, and the root behind them */
	int64_t *potential;
	int8_t *state;	      /* of arcs; artificial ones never come back */
	__int128 *artificial; /* flows */
	size_t block, at;     /* of the search for an arc to enter */
	uint64_t work, work_limit;
};

/* The arc that enters, which way flow is pushed along it, and what that does. */
struct pivot {
	uint32_t enters, from, to; /* pushed from node to node */
	uint32_t join;		   /* the lowest node above both */
	uint32_t leaves;	   /* the node whose arc to its parent leaves the tree; NONE: the
				    * entering arc only goes to its other end */
	bool below_from;	   /* that node is above `from`, not above `to` */
	uint64_t amount;
};

static bool allocate(struct solver *s)
{
	s->tree = memory_alloc_array(s->nodes + 1, sizeof(*s->tree));
	s->potential = memory_alloc_array(s->nodes + 1, sizeof(*s->potential));
	s->artificial = memory_alloc_array(s->nodes + 1, sizeof(*s->artificial));
	s->state = memory_alloc_array(s->count + 1, sizeof(*s->state));
	return s->tree && s->potential && s->artificial && s->state;
}

static void attach(struct node *tree, uint32_t v, uint32_t parent)
{
	uint32_t first = tree[parent].first;

	tree[v].parent = parent;
	tree[v].next = first;
	tree[v].previous = NONE;
	if (first != NONE)
		tree[first].previous = v;
	tree[parent].first = v;
}

static void detach(struct node *tree, uint32_t v)
{
	if (tree[v].previous != NONE)
		tree[tree[v].previous].next = tree[v].next;
	else
		tree[tree[v].parent].first = tree[v].next;
	if (tree[v].next != NONE)
		tree[tree[v].next].previous = tree[v].previous;
}

static void plant(struct solver *s, const __int128 *supply, int64_t high)
{
	uint32_t root = (uint32_t)s->nodes;

	s->tree[root] = (struct node){NONE, NONE, NONE, NONE, NONE, 0, false};
	for (size_t i = 0; i < s->count; i++) {
		s->arcs[i].flow = 0;
		s->state[i] = AT_ZERO;
	}
	for (uint32_t v = root; v--;) {
		bool up = supply[v] >= 0;

		s->tree[v] = (struct node){.first = NONE, .arc = (uint32_t)s->count + v, .up = up};
		s->tree[v].depth = 1;
		attach(s->tree, v, root);
		s->artificial[v] = up ? supply[v] : -supply[v];
		s->potential[v] = up ? -high : high;
	}
}

/* What a unit of flow along the arc would cost on balance; 0 in the tree. */
static int64_t reduced_cost(const struct solver *s, const struct mincost_arc *a)
{
	return (int64_t)a->cost + s->potential[a->from] - s->potential[a->to];
}

/* The arc whose move gains most, of the first block that has any; NONE: the flow is optimal. */
static uint32_t find_entering(struct solver *s)
{
	int64_t best = 0;
	uint32_t found = NONE;
	size_t left = s->block, at = s->at;

	for (size_t seen = 0; seen < s->count; seen++) {
		int64_t gain = s->state[at] * reduced_cost(s, &s->arcs[at]);

		if (gain < best) {
			best = gain;
			found = (uint32_t)at;
		}
		at = at + 1 < s->count ? at + 1 : 0;
		s->work++;
		if (--left)
			continue;
		if (found != NONE)
			break;
		left = s->block;
	}
	s->at = at;
	return found;
}

/* By how much can flow between a node and its parent change? Along the arc, or against it. */
static unsigned __int128 room(const struct solver *s, const struct node *n, uint32_t v, bool along)
{
	if (n->arc < s->count)
		return along ? s->arcs[n->arc].capacity - s->arcs[n->arc].flow
			     : s->arcs[n->arc].flow;
	return along ? ~(unsigned __int128)0 : (unsigned __int128)s->artificial[v];
}

static void find_join(struct solver *s, struct pivot *p)
{
	uint32_t u = p->from, v = p->to;

	while (u != v) {
		bool lower = s->tree[u].depth >= s->tree[v].depth;

		if (lower)
			u = s->tree[u].parent;
		else
			v = s->tree[v].parent;
		s->work++;
	}
	p->join = u;
}

/* Of the arcs that stop the push the last one, on the path from the join down to `from`, through
 * the entering arc, and up from `to`: that keeps the tree strongly feasible. */
static void find_leaving(const struct solver *s, struct pivot *p)
{
	unsigned __int128 least = s->arcs[p->enters].capacity;

	p->leaves = NONE;
	for (uint32_t v = p->from; v != p->join; v = s->tree[v].parent) {
		unsigned __int128 r = room(s, &s->tree[v], v, !s->tree[v].up);

		if (r >= least)
			continue;
		least = r;
		p->leaves = v;
		p->below_from = true;
	}
	for (uint32_t v = p->to; v != p->join; v = s->tree[v].parent) {
		unsigned __int128 r = room(s, &s->tree[v], v, s->tree[v].up);

		if (r > least)
			continue;
		least = r;
		p->leaves = v;
		p->below_from = false;
	}
	p->amount = (uint64_t)least;
}

static void simplex_push(struct solver *s, uint32_t v, bool along, uint64_t amount)
{
	uint32_t arc = s->tree[v].arc;

	if (arc >= s->count)
		s->artificial[v] += along ? (__int128)amount : -(__int128)amount;
	else
		s->arcs[arc].flow += along ? amount : -amount;
}

static void push_around(struct solver *s, const struct pivot *p)
{
	if (!p->amount)
		return;
	s->arcs[p->enters].flow += s->state[p->enters] == AT_ZERO ? p->amount : -p->amount;
	for (uint32_t v = p->from; v != p->join; v = s->tree[v].parent)
		simplex_push(s, v, !s->tree[v].up, p->amount);
	for (uint32_t v = p->to; v != p->join; v = s->tree[v].parent)
		simplex_push(s, v, s->tree[v].up, p->amount);
}

/* The path from @low up to @high is turned round: each node becomes the parent of its parent. */
static void turn(struct node *tree, uint32_t low, uint32_t high, uint32_t parent, uint32_t arc,
		 bool up)
{
	for (uint32_t v = low;;) {
		uint32_t old_parent = tree[v].parent, old_arc = tree[v].arc;
		bool old_up = tree[v].up;

		detach(tree, v);
		attach(tree, v, parent);
		tree[v].arc = arc;
		tree[v].up = up;
		if (v == high)
			return;
		parent = v;
		arc = old_arc;
		up = !old_up;
		v = old_parent;
	}
}

/* Depths and potentials of @top and all below it. */
static void renew(struct solver *s, uint32_t top, int64_t raise)
{
	struct node *tree = s->tree;

	for (uint32_t v = top;;) {
		tree[v].depth = tree[tree[v].parent].depth + 1;
		s->potential[v] += raise;
		s->work++;
		if (tree[v].first != NONE) {
			v = tree[v].first;
			continue;
		}
		while (v != top && tree[v].next == NONE)
			v = tree[v].parent;
		if (v == top)
			return;
		v = tree[v].next;
	}
}

static void exchange(struct solver *s, const struct pivot *p)
{
	const struct mincost_arc *in = &s->arcs[p->enters];
	uint32_t out = s->tree[p->leaves].arc;
	uint32_t low = p->below_from ? p->from : p->to, other = p->below_from ? p->to : p->from;
	int64_t reduced = reduced_cost(s, in);

	if (out < s->count)
		s->state[out] = s->arcs[out].flow ? AT_CAPACITY : AT_ZERO;
	s->state[p->enters] = IN_TREE;
	turn(s->tree, low, p->leaves, other, p->enters, in->from == low);
	renew(s, low, in->from == low ? -reduced : reduced);
}

static void pivot(struct solver *s, uint32_t enters)
{
	const struct mincost_arc *in = &s->arcs[enters];
	bool forward = s->state[enters] == AT_ZERO;
	struct pivot p = {.enters = enters,
			  .from = forward ? in->from : in->to,
			  .to = forward ? in->to : in->from};

	find_join(s, &p);
	find_leaving(s, &p);
	push_around(s, &p);
	if (p.leaves == NONE)
		s->state[enters] = (int8_t)-s->state[enters];
	else
		exchange(s, &p);
}

static enum mincost_outcome simplex_run(struct solver *s)
{
	uint32_t enters;

	while ((enters = find_entering(s)) != NONE) {
		if (s->work_limit && s->work > s->work_limit)
			return MINCOST_FAILED;
		pivot(s, enters);
	}
	for (size_t v = 0; v < s->nodes; v++)
		if (s->artificial[v])
			return MINCOST_INFEASIBLE;
	return MINCOST_OPTIMAL;
}

/* Arcs that begin and end at one node would break the tree, and never gain. */
static bool is_in_limits(const __int128 *supply, size_t nodes, const struct mincost_arc *arcs,
			 size_t count, uint32_t *highest)
{
	__int128 sum = 0;

	*highest = 0;
	if (!nodes || nodes >= NONE / 4 || count >= NONE / 4)
		return false;
	for (size_t v = 0; v < nodes; v++)
		sum += supply[v];
	for (size_t i = 0; i < count; i++) {
		if (arcs[i].from >= nodes || arcs[i].to >= nodes || arcs[i].from == arcs[i].to ||
		    arcs[i].capacity >= SIMPLEX_CAPACITY_LIMIT)
			return false;
		*highest = arcs[i].cost > *highest ? arcs[i].cost : *highest;
	}
	return !sum && ((uint64_t)*highest + 1) < SIMPLEX_COST_LIMIT / (nodes + 1);
}

enum mincost_outcome simplex_solve(const __int128 *supply, size_t nodes, struct mincost_arc *arcs,
				   size_t count, uint64_t work)
{
	struct solver s = {
		.arcs = arcs, .count = count, .nodes = nodes, .block = 16, .work_limit = work};
	enum mincost_outcome outcome = MINCOST_NO_MEMORY;
	uint32_t highest;

	if (!is_in_limits(supply, nodes, arcs, count, &highest))
		return MINCOST_FAILED;
	while (s.block * s.block < count)
		s.block++;
	if (allocate(&s)) {
		plant(&s, supply, ((int64_t)highest + 1) * ((int64_t)nodes + 1));
		outcome = simplex_run(&s);
	}
	memory_free(s.tree);
	memory_free(s.potential);
	memory_free(s.artificial);
	memory_free(s.state);
	return outcome;
}
