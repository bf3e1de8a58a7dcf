/* SPDX-License-Identifier: MIT */
/*
 * All functions, round by round: each instance is a flow problem of its own, and an inlined one was
 * entered as often as the block of its call ran, which the round before says. A function's counts
 * are the sums over its instances.
 *
 * What was not seen may only be rare: behind all rounds, each function runs a little as gcc
 * guesses.
 */
#pragma once

#include "converter/gcc/counters/attributions.h"
#include "converter/gcc/counters/constraints.h"
#include "converter/gcc/counters/contexts.h"
#include "converter/gcc/counters/notes_index.h"

/* One instance, and its attributions [first,end). */
struct round_instance {
	uint32_t function, context;
	size_t first, end;
	uint64_t most; /* of its counts */
	/* The call that it is inlined at, of a function in a context; NOTES_NONE: unknown. */
	uint32_t caller, caller_context, line, column;
	bool alone;	 /* the only one at its call; else the call's count is shared out */
	uint64_t weight; /* the sum of `most` of all at that call */
	bool placed;	 /* `entries` is known */
	uint64_t entries;
};

/* Instances that were solved as one. */
struct round_group {
	size_t first, count; /* in round_function.members */
	bool own;	     /* the function's own code */
	uint64_t *blocks;    /* how often each ran */
};

struct round_function {
	size_t first, count; /* its instances */
	VECTOR(uint32_t) members;
	VECTOR(struct round_group) groups;
	uint64_t *arcs;	 /* the sum of all groups' flows; NULL: it did not run */
	uint64_t called; /* how often, by the blocks of its callers */
	bool taken;	 /* it is entered in ways that are not known, or never inlined */
};

struct rounds_stats {
	uint64_t solved, unsolved; /* flow problems */
	uint64_t instances;
};

/* Start zeroed. */
struct rounds {
	const struct notes_index *keys;
	const struct attributions *attributions;
	VECTOR(struct round_instance) instances; /* by function, context */
	VECTOR(struct round_function) functions; /* by number */
	struct contexts sites;			 /* of calls */
	struct map solved; /* (function, context) -> n = group + 1 of the function */
	struct map forced; /* (function and context, block) -> n = entries of what is inlined */
	unsigned round;
	struct rounds_stats stats;
};

void rounds_deinit(struct rounds *r);
/* 0, or -1 without memory. */
int rounds_run(struct rounds *r, const struct notes_index *keys, const struct attributions *o);

/* Each function, or without @all each that ran, is taken to be entered @entries times more, and to
 * go on as gcc guesses, up to @most times an arc. 0, or -1 without memory. */
int round_guesses_add(struct rounds *r, bool all, uint64_t entries, uint64_t most);

/* ---- one instance (instance_arcs.c) --------------------------------------------------------- */

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
