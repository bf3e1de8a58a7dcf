/* SPDX-License-Identifier: MIT */
/*
 * Minimum-cost flow: what the problem is and what solves it. Our own solver is mcf/simplex.h;
 * another one is handed over as an operation, so that only who wants it links its library
 * (mcf/glpk_solver.h).
 */
#ifndef MCF_MINCOST_H
#define MCF_MINCOST_H

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

#endif
