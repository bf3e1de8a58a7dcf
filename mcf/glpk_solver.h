/* SPDX-License-Identifier: MIT */
/*
 * Minimum-cost flow by GLPK's out-of-kilter solver. The only file that calls GLPK, whose license is
 * the GPL: a target of its own, that the program links and the conversion library does not. GLPK
 * would end the program on errors, which are caught here.
 */
#ifndef MCF_GLPK_SOLVER_H
#define MCF_GLPK_SOLVER_H

#include "mcf/mincost.h"

/* It computes with int: what all nodes together have to send stays below this. */
#define GLPK_SOLVER_SUPPLY_LIMIT (1 << 29)
#define GLPK_SOLVER_NODES_MAX	 80000
#define GLPK_SOLVER_ARCS_MAX	 400000

extern const struct flow_solver glpk_solver;
/* The same, for what our own solver gave up. */
extern const struct flow_solver glpk_solver_last;

#endif
