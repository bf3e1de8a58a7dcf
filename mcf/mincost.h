/* SPDX-License-Identifier: MIT */
/*
 * Minimum-cost flow: the problem, and its two solvers. Our own is the simplex (mcf/simplex.c). GLPK
 * (mcf/glpk_solver.c) is handed over as an operation, so that only who wants it links its library.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mincost_arc {
	uint32_t from, to; /* nodes by number */
	uint32_t cost;
	uint64_t capacity;
	uint64_t flow; /* set if optimal */
};

enum mincost_outcome {
	MINCOST_OPTIMAL,
	MINCOST_INFEASIBLE,
	MINCOST_TOO_LARGE, /* for this solver */
	MINCOST_FAILED,	   /* not a network, or the solver gave up */
	MINCOST_NO_MEMORY, /* as far as the solver can tell */
};

struct flow_solver {
	const char *name;
	const char *limits; /* in words: up to what it solves */
	bool last;	    /* to be tried where our own gave up, and not before it */
	/* @supply: what leaves each node on balance; in all 0. */
	enum mincost_outcome (*solve)(const __int128 *supply, size_t nodes,
				      struct mincost_arc *arcs, size_t count);
};

/* Capacities stay below. */
#define SIMPLEX_CAPACITY_LIMIT (UINT64_C(1) << 63)
/* Costs times nodes stay below. */
#define SIMPLEX_COST_LIMIT (UINT64_C(1) << 60)

/* @supply: what leaves each node on balance; in all 0. @work: give up after about so many visits of
 * arcs and nodes (hundreds of millions a second); 0 = never. */
enum mincost_outcome simplex_solve(const __int128 *supply, size_t nodes, struct mincost_arc *arcs,
				   size_t count, uint64_t work);

/* The same result but for ties, sooner where few nodes have a supply in a large network, later
 * elsewhere. Sums of costs and of supplies stay below SIMPLEX_COST_LIMIT and 2^126, and no arc
 * begins where it ends. @work as above. */
enum mincost_outcome shortest_paths_solve(const __int128 *supply, size_t nodes,
					  struct mincost_arc *arcs, size_t count, uint64_t work);

/* GLPK computes with int: what all nodes together have to send stays below this. */
#define GLPK_SOLVER_SUPPLY_LIMIT (1 << 29)
#define GLPK_SOLVER_NODES_MAX	 80000
#define GLPK_SOLVER_ARCS_MAX	 400000

extern const struct flow_solver glpk_solver;
/* The same, for what our own solver gave up. */
extern const struct flow_solver glpk_solver_last;
