/* SPDX-License-Identifier: MIT */
/*
 * How often each arc of one instance of a function ran: a circulation of least cost on gcc's graph,
 * under the constraints and the number of entries. Where only a sum of several blocks is known, or
 * only gcc's guess, the flows of a first solution are shared out and it is solved again.
 */
#pragma once

#include "converter/gcc/counters/constraints.h"
#include "converter/gcc/counters/notes_index.h"

struct instance_arcs {
	const struct notes_function *f;
	struct constraints *constraints; /* demands are added to it */
	bool own;			 /* the function's own code, else inlined */
	bool has_entries;
	uint64_t entries; /* how often it was entered */
	/* Nothing else is known: it went on as gcc guesses, up to so often an arc; 0 = no */
	uint64_t guess_most;
};

/* @flows: one for each arc of the graph. 0, 1 without a solution, or -1 without
 * memory. */
int instance_arcs_solve(const struct instance_arcs *i, uint64_t *flows);
/* How often each block ran by the flows of the arcs that leave it; of the exit, that come in. */
void instance_arcs_blocks(const struct gcc_function *graph, const uint64_t *flows,
			  uint64_t *blocks);
