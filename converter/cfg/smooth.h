/* SPDX-License-Identifier: MIT */
/*
 * Smoothing a branch profile: each function's counts become the nearest that conserve flow at
 * every segment of its code (mcf/flow.h). Between functions nothing is balanced: a call counts as
 * often as its caller makes it.
 *
 * Few traces are smoothed in fractions of what was recorded: where one of ten branches in a row was
 * seen once, a tenth of each is likelier than the whole of all.
 */
#pragma once

#include "converter/binary/binary.h"
#include "converter/cfg/cfg.h"
#include "formats/model/branch_profile.h"
#include "mcf/flow.h"
#include "softlbr/error.h"

/* So many are named of the functions that the solver asked for left to the simplex. */
#define SMOOTH_LEFT_NAMED 8

struct smooth_left {
	const char *function; /* lives as long as the binary */
	uint64_t nodes, arcs; /* of its network, reduced */
	bool too_large;	      /* else the solver gave up */
};

struct smooth_stats {
	uint64_t functions;		  /* that ran */
	uint64_t gaps;			  /* of them not smoothed: they hold what is no code */
	uint64_t outcomes[FLOW_OUTCOMES]; /* of the others */
	uint64_t segments, moved; /* how often segments ran; steps that these counts moved */
	uint64_t woken;		  /* segments that were never seen and must have run */
	uint64_t unit;		  /* what one that was recorded counts, here and after */
	struct flow_stats flow;
	struct smooth_left left[SMOOTH_LEFT_NAMED]; /* the first of flow.too_large + given_up */
};

/* Solve the network of function @f, and count what that does; @solver as in mcf/flow.h. */
enum flow_outcome smooth_flow(struct cfg *cfg, const struct binary_function *f,
			      const struct flow_solver *solver, struct smooth_stats *stats);
/* @smooth (zeroed) becomes @clean with counts that conserve flow. 0 or a negative code. */
int smooth_branches(struct binary *b, const struct branch_profile *clean,
		    const struct flow_solver *solver, struct branch_profile *smooth,
		    struct smooth_stats *stats, struct softlbr_error *e);
