/* SPDX-License-Identifier: MIT */
/*
 * One instance of a function as a flow problem: gcc's arcs, what evidence wishes for, and how often
 * it was entered. Where several blocks are known together only, or nothing is known but what gcc
 * guesses, the flows of one solution are shared out and it is solved again.
 */
#ifndef CONVERTER_GCC_COUNTERS_INSTANCE_FLOW_H
#define CONVERTER_GCC_COUNTERS_INSTANCE_FLOW_H

#include "converter/gcc/counters/evidence.h"
#include "converter/gcc/counters/key_index.h"

struct instance_flow {
	const struct key_function *f;
	struct evidence *evidence; /* wishes are added to it */
	bool own;		   /* the function's own code, else inlined */
	bool has_entries;
	uint64_t entries; /* how often it was entered */
	/* Nothing else is known: it went on as gcc guesses, up to so often an arc; 0 = no */
	uint64_t guess_most;
};

/* @flows: one for each arc of the graph. 0, 1 without a solution, or -1 without
 * memory. */
int instance_flow_solve(const struct instance_flow *i, uint64_t *flows);
/* How often each block ran by the flows of the arcs that leave it; of the exit, that come in. */
void instance_flow_blocks(const struct gcc_function *graph, const uint64_t *flows,
			  uint64_t *blocks);

#endif
