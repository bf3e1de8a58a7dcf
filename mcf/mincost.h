/* SPDX-License-Identifier: MIT */
/*
 * Minimum-cost flow by GLPK's out-of-kilter solver. The only file that calls GLPK, whose errors
 * would end the program: they are caught here.
 */
#ifndef MCF_MINCOST_H
#define MCF_MINCOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* GLPK computes with int: the supplies' positive sum, capacities and costs stay below this. */
#define MINCOST_LIMIT (1 << 29)
/* It took 44 s for a function of 20,000 blocks, and time grows faster than the network. */
#define MINCOST_NODES_MAX 80000
#define MINCOST_ARCS_MAX  400000

struct mincost_arc {
	uint32_t from, to;
	int32_t capacity, cost; /* >= 0 */
	int32_t flow;		/* set if optimal */
};

enum mincost_outcome {
	MINCOST_OPTIMAL,
	MINCOST_INFEASIBLE,
	MINCOST_FAILED, /* too large, no memory, or the solver gave up */
};

/* @supply: what leaves each node on balance; in all 0. */
enum mincost_outcome mincost_solve(const int32_t *supply, size_t nodes, struct mincost_arc *arcs,
				   size_t count);

#endif
