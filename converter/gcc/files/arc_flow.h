/* SPDX-License-Identifier: MIT */
/*
 * How often each arc and block of a function ran, by the counters of the arcs that have one: what
 * flows into a block flows out of it, which says the others (gcc/profile.cc,
 * compute_branch_probabilities).
 */
#pragma once

#include "converter/gcc/files/gcc_graph.h"

struct arc_flow {
	VECTOR(uint64_t) arcs; /* in the graph's order */
	VECTOR(uint64_t) blocks;
	bool untrue; /* nothing that runs counts so: less than nothing would flow somewhere */
};

/* @counters: the function's of COUNTER_KIND_ARCS, or NULL: nothing ran. 1 if there are more or
 * fewer counters than the graph has, or it is no graph of gcc's: they are of another build. -1
 * without memory. @out is initialised by the call. */
int arc_flow_solve(const struct gcc_function *f, const struct counter_set *counters,
		   struct arc_flow *out);
void arc_flow_deinit(struct arc_flow *flow);
/* How often the function was entered. */
uint64_t arc_flow_entries(const struct arc_flow *flow);
