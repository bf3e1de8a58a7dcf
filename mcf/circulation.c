/* SPDX-License-Identifier: MIT */
/*
 * A node with demands is two vertices and an arc between them. Pieces of negative cost are filled
 * at first, and the solver is asked for the way back: an arc from their end to their beginning, at
 * the cost's opposite.
 */
#include "mcf/flow.h"

#include "base/memory.h"
#include "base/order.h"
#include "mcf/mincost.h"

struct lowering {
	const struct circulation *c;
	uint32_t vertices;
	uint32_t *out; /* by node: where what it passes on leaves it */
	__int128 *supply;
	VECTOR(struct mincost_arc) given;
	VECTOR(uint64_t) filled;   /* by given arc: it is the way back of so much; else 0 */
	VECTOR(uint32_t) given_of; /* by given arc: the arc that it is a piece of; or the node's */
};

void circulation_deinit(struct circulation *c)
{
	vector_deinit(&c->arcs);
	vector_deinit(&c->demands);
}

int circulation_add_arc(struct circulation *c, uint32_t from, uint32_t to, uint32_t cost)
{
	return vector_add(&c->arcs, (struct circulation_arc){.from = from, .to = to, .cost = cost});
}

int circulation_demand(struct circulation *c, uint32_t of, uint64_t at, uint32_t below,
		       uint32_t above)
{
	if ((!below || !at) && !above)
		return 0;
	return vector_add(&c->demands, (struct circulation_demand){
					       of, below, above,
					       at < CIRCULATION_LIMIT ? at : CIRCULATION_LIMIT});
}

ORDER_BY(by_what, struct circulation_demand, ORDER_UP(of) ?: ORDER_UP(at));

/* A piece of @capacity from one vertex to another, each unit at @cost. */
static int give(struct lowering *l, uint32_t of, uint32_t from, uint32_t to, int64_t cost,
		uint64_t capacity)
{
	const bool turned = cost < 0;
	const int64_t each = turned ? -cost : cost;
	struct mincost_arc a = {.from = turned ? to : from,
				.to = turned ? from : to,
				.cost = each < UINT32_MAX ? (uint32_t)each : UINT32_MAX,
				.capacity = capacity};

	if (vector_add(&l->given, a) || vector_add(&l->filled, turned ? capacity : 0) ||
	    vector_add(&l->given_of, of))
		return -1;
	if (turned) {
		l->supply[to] += capacity;
		l->supply[from] -= capacity;
	}
	return 0;
}

/* The pieces of an arc or a node with the demands [w,end). */
static int give_pieces(struct lowering *l, uint32_t of, uint32_t from, uint32_t to, uint32_t cost,
		       const struct circulation_demand *w, const struct circulation_demand *end)
{
	int64_t slope = cost;
	uint64_t at = 0;

	for (const struct circulation_demand *i = w; i < end; i++)
		slope -= i->below;
	for (; w < end; w++) {
		if (w->at > at && give(l, of, from, to, slope, w->at - at))
			return -1;
		at = w->at > at ? w->at : at;
		slope += (int64_t)w->below + w->above;
	}
	return give(l, of, from, to, slope, SIMPLEX_CAPACITY_LIMIT - 1);
}

/* The demands of @of: from *w on, which goes on behind them. */
static const struct circulation_demand *demands_of(const struct circulation *c, uint32_t of,
						   size_t *w)
{
	while (*w < c->demands.count && c->demands.items[*w].of == of)
		++*w;
	return vector_at(&c->demands, *w);
}

static int lower_all(struct lowering *l)
{
	const struct circulation *c = l->c;
	size_t w = 0, first;

	/* nodes come last in the order of demands, but their vertices are needed first */
	for (size_t i = c->demands.count; i-- > 0 && c->demands.items[i].of >= CIRCULATION_NODE;) {
		uint32_t node = c->demands.items[i].of - CIRCULATION_NODE;

		if (l->out[node] == node)
			l->out[node] = l->vertices++;
	}
	for (uint32_t i = 0; i < c->arcs.count; i++) {
		const struct circulation_arc *a = &c->arcs.items[i];
		const struct circulation_demand *end;

		first = w;
		end = demands_of(c, i, &w);
		if (give_pieces(l, i, l->out[a->from], a->to, a->cost,
				vector_at(&c->demands, first), end))
			return -1;
	}
	while (w < c->demands.count) {
		uint32_t of = c->demands.items[w].of, node = of - CIRCULATION_NODE;
		const struct circulation_demand *end;

		first = w;
		end = demands_of(c, of, &w);
		if (give_pieces(l, of, node, l->out[node], 0, vector_at(&c->demands, first), end))
			return -1;
	}
	return 0;
}

static void take_flows(struct circulation *c, const struct lowering *l)
{
	struct circulation_arc *a;

	vector_each (&c->arcs, a)
		a->flow = 0;
	for (size_t i = 0; i < l->given.count; i++) {
		uint32_t of = l->given_of.items[i];
		uint64_t filled = l->filled.items[i], flow = l->given.items[i].flow;

		if (of < CIRCULATION_NODE)
			c->arcs.items[of].flow += filled ? filled - flow : flow;
	}
}

/* The simplex has no arcs from a vertex to itself: a free demand_arc makes such nodes two. */
static int part_loops(struct circulation *c)
{
	const struct circulation_arc *a;

	vector_each (&c->arcs, a) {
		struct circulation_demand *w = a->from == a->to ? vector_push(&c->demands) : NULL;

		if (w)
			w->of = CIRCULATION_NODE + a->from;
		else if (a->from == a->to)
			return -1;
	}
	return 0;
}

int circulation_solve(struct circulation *c, uint64_t work)
{
	struct lowering l = {.c = c, .vertices = c->nodes};
	enum mincost_outcome outcome = MINCOST_NO_MEMORY;

	if (part_loops(c))
		return -1;
	l.out = memory_alloc_array(c->nodes + 1u, sizeof(*l.out));
	l.supply = memory_alloc_array(2 * (size_t)c->nodes + 1, sizeof(*l.supply));
	if (l.out && l.supply) {
		for (uint32_t i = 0; i < c->nodes; i++)
			l.out[i] = i;
		vector_sort(&c->demands, by_what);
		if (!lower_all(&l))
			outcome = simplex_solve(l.supply, l.vertices, l.given.items, l.given.count,
						work);
		if (outcome == MINCOST_OPTIMAL)
			take_flows(c, &l);
	}
	memory_free(l.out);
	memory_free(l.supply);
	vector_deinit(&l.given);
	vector_deinit(&l.filled);
	vector_deinit(&l.given_of);
	return outcome == MINCOST_OPTIMAL ? 0 : outcome == MINCOST_NO_MEMORY ? -1 : 1;
}
