/* SPDX-License-Identifier: MIT */
/*
 * Smoothing: counts measured on the nodes and edges of a flow network become the nearest counts
 * that conserve flow, nearest by the cost of each step away from what was measured (Levin,
 * Newman, Haber: Complementing missing and inaccurate profiling using a minimum cost circulation
 * algorithm). Knows nothing of code.
 */
#pragma once

#include "base/vector.h"
#include "mcf/mincost.h"

/* As an edge's end: flow enters the network from there, or leaves it. */
#define FLOW_OUTSIDE UINT32_MAX
/* Counts and flows stay below. */
#define FLOW_COUNT_LIMIT (UINT64_C(1) << 63)

/* What a step of one away from the measured count costs, 0 to FLOW_COST_MAX. */
#define FLOW_COST_MAX 100000

enum flow_costs {
	FLOW_FLAT, /* each step as the first */
	/*
	 * The farther, the higher, against what was measured: d steps away from c the next one
	 * costs raise * d / (c + d), or lower * d / (c - d), so that what is missing is shared out
	 * in proportion to what was measured. With raise and lower the same everywhere the cheapest
	 * flow is the likeliest one of which a random sample has these counts (Poisson). From 0 up
	 * each step costs raise.
	 */
	FLOW_RISING,
};

struct flow_count {
	uint64_t measured;
	uint32_t raise, lower; /* costs of a step */
	uint32_t vanish;       /* of the step from 1 to 0; 0: as the others */
	uint64_t flow;	       /* the result */
};

struct flow_edge {
	uint32_t from, to; /* nodes by number, or FLOW_OUTSIDE */
	struct flow_count count;
};

/* Start zeroed. */
struct flow_network {
	VECTOR(struct flow_count) nodes;
	VECTOR(struct flow_edge) edges;
	enum flow_costs costs;
};

enum flow_outcome {
	FLOW_CONSISTENT, /* what was measured conserves flow */
	FLOW_SOLVED,
	/* With the rest every flow is what was measured. */
	FLOW_TOO_LARGE, /* more than 2^28 nodes and edges, or counts beyond the limit */
	FLOW_FAILED,	/* the solvers gave up */
	FLOW_NO_MEMORY,
	FLOW_OUTCOMES
};

struct flow_stats {
	uint64_t given[2], solved[2]; /* nodes and edges, before and after reduction */
	uint64_t raised, lowered;     /* steps away from the measured counts, nodes and edges */
	uint64_t cost; /* of the solved flows: what all solvers agree on; UINT64_MAX = more */
	/* networks that the solver asked for solved, and that it left to the simplex because they
	 * are too large for it, or since it gave up */
	uint64_t by_other, too_large, given_up;
};

/* When the simplex gives up: about a minute. */
#define FLOW_WORK_MAX (UINT64_C(1) << 35)
/* From here on the simplex takes seconds, and shortest paths are tried before it, for about one. */
#define FLOW_PATHS_NODES_LEAST 20000
#define FLOW_PATHS_WORK_MAX    (UINT64_C(1) << 27)
/* A solver for what the simplex gave up may take some seconds. */
#define FLOW_LAST_NODES_MAX 4000

void flow_network_deinit(struct flow_network *n);
/*
 * Set every flow. @solver: by which, where it can; NULL = the simplex. @stats (may be NULL) is
 * added to. Edges' ends are nodes of the network.
 */
enum flow_outcome flow_solve(struct flow_network *n, const struct flow_solver *solver,
			     struct flow_stats *stats);

/* Which nodes have the same flow, whatever the flow is (mcf/equivalence.c)? Nodes without an edge
 * from, or to, them have one from, or to, the outside. labels[node]: equal for nodes of equal flow;
 * 0 = no flow goes there. 0, or -1 without memory. */
int equivalence_classes(const struct flow_network *n, uint64_t *labels);

/* ---- flow with demands (circulation.c) ----------------------------------------------------- */

/*
 * Circulations of least cost where what is known of a flow is not one number but several, each with
 * a cost of going below it and of going above it: an interval is two such. The sum of them is
 * convex, and a piece of it between two numbers is an arc beside the others; so the result is
 * exact, and in integers, which is why nothing has to be rounded afterwards.
 */

/* Flows stay below. */
#define CIRCULATION_LIMIT (UINT64_C(1) << 60)

struct circulation_arc {
	uint32_t from, to; /* nodes */
	uint32_t cost;	   /* of each unit */
	uint64_t flow;	   /* the result */
};

/* Each unit that the flow of a node or arc is below, or above, @at costs so much. */
struct circulation_demand {
	uint32_t of; /* an arc, or CIRCULATION_NODE + a node */
	uint32_t below, above;
	uint64_t at;
};

#define CIRCULATION_NODE (UINT32_C(1) << 31)

/* Start zeroed. */
struct circulation {
	uint32_t nodes;
	VECTOR(struct circulation_arc) arcs;
	VECTOR(struct circulation_demand) demands; /* sorted by the solver */
};

void circulation_deinit(struct circulation *c);
/* 0, or -1 without memory. Wishes for flows above the limit are for the limit. */
int circulation_add_arc(struct circulation *c, uint32_t from, uint32_t to, uint32_t cost);
int circulation_demand(struct circulation *c, uint32_t of, uint64_t at, uint32_t below,
		       uint32_t above);
/* Set the arcs' flows. 0; 1 if the solver gave up after @work (mincost.h), or the network is too
 * large for it; -1 without memory. Unless it is 0, flows are undefined. */
int circulation_solve(struct circulation *c, uint64_t work);
