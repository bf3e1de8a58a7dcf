/* SPDX-License-Identifier: MIT */
/*
 * Minimum-cost flow by the primal network simplex method: in integers, so that the result is exact
 * and the same everywhere, for networks and counts of any size. Memory is linear.
 *
 * The tree of basic arcs is kept strongly feasible, by which arc leaves it (Cunningham: A network
 * simplex method, 1976), so that it cannot cycle; which arc enters it is found block by block
 * (Kiraly, Kovacs: Efficient implementations of minimum-cost flow algorithms, 2012).
 */
#ifndef MCF_SIMPLEX_H
#define MCF_SIMPLEX_H

#include <stddef.h>
#include <stdint.h>

#include "mcf/mincost.h"

/* Capacities stay below. */
#define SIMPLEX_CAPACITY_LIMIT (UINT64_C(1) << 63)
/* Costs times nodes stay below. */
#define SIMPLEX_COST_LIMIT (UINT64_C(1) << 60)

/* @supply: what leaves each node on balance; in all 0. @work: give up after about so many visits of
 * arcs and nodes (hundreds of millions a second); 0 = never. */
enum mincost_outcome simplex_solve(const __int128 *supply, size_t nodes, struct mincost_arc *arcs,
				   size_t count, uint64_t work);

#endif
