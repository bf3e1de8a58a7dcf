/* SPDX-License-Identifier: MIT */
/*
 * Constraints on how often the blocks and arcs of one instance of a function ran, from the
 * instructions that are attributed to its statements. A statement became several instructions, in
 * several machine blocks: copies (of loops and tails) add up, hoisted and merged ones do not. So a
 * constraint is an interval, and its weight depends on the kind of instruction. docs/counters.md
 * has the rules.
 */
#pragma once

#include <stdbool.h>

#include "base/vector.h"
#include "converter/gcc/counters/attributions.h"
#include "converter/gcc/counters/estimate.h"
#include "converter/gcc/counters/reliability.h"
#include "converter/gcc/counters/successors.h"
#include "mcf/circulation.h"

/* A cost for a weight of 1. */
#define CONSTRAINT_ONE 10000u

/* These blocks together ran @least times or more. */
struct constraint_sum {
	uint32_t first, count; /* in constraints.blocks */
	uint64_t least;
	uint32_t below; /* cost of each one less */
	bool lacked;	/* by a solution: from then on each block's share is a demand */
};

/* Start zeroed. Demands are for the arcs of the function's graph, and of its blocks as nodes. */
struct constraints {
	VECTOR(struct circulation_demand) demands;
	VECTOR(struct constraint_sum) sums;
	VECTOR(uint32_t) blocks;
};

static inline void constraints_deinit(struct constraints *v)
{
	vector_deinit(&v->demands);
	vector_deinit(&v->sums);
	vector_deinit(&v->blocks);
}

/* Demand that the arc or node @of runs @at times: a run less costs @below, a run more @above. 0, or
 * -1 without memory. */
static inline int constraints_add(struct constraints *v, uint32_t of, uint64_t at, double below,
				  double above)
{
	return vector_add(&v->demands,
			  (struct circulation_demand){.of = of,
						      .at = at,
						      .below = (uint32_t)(below * CONSTRAINT_ONE),
						      .above = (uint32_t)(above * CONSTRAINT_ONE)});
}

/* The attributions [first,end) of one function and context. */
struct constraints_source {
	uint32_t context;
	size_t first, end;
};

/* Append the constraints that follow from the attributions of these contexts of function number
 * @function. 0, or -1 without memory. */
int constraints_collect(const struct notes_index *keys, const struct attributions *o,
			uint32_t function, const struct constraints_source *sources, size_t count,
			struct constraints *out);

/* ---- constraints by jumps (jump_constraints.c) ---------------------------------------------- */

struct jump_count {
	uint32_t arc, block; /* of the function's graph; the block is where the arc leaves */
	uint64_t count;
};

/* Start zeroed. */
struct jump_constraints {
	VECTOR(struct jump_count) items; /* each arc once */
	struct successors ways;
	VECTOR(uint32_t) of_arc; /* by arc: the item + 1 */
};

void jump_constraints_deinit(struct jump_constraints *v);
/* For the jumps of function @f, which must outlive @v. 0, or -1 without memory. */
int jump_constraints_init(struct jump_constraints *v, const struct notes_function *f);
/* Add the counts of one conditional jump of the function. 0, or -1 without memory. */
int jump_constraints_add(struct jump_constraints *v, const struct attributions *o,
			 const struct attributed_jump *j);
/* The counts of all jumps from @block. */
uint64_t jump_constraints_sum(const struct jump_constraints *v, uint32_t block);

/* Add the counts of the computed gotos of function number @function to the constraints @out of its
 * own code. 0, or -1 without memory. */
int jump_constraints_add_gotos(const struct notes_index *keys, const struct attributions *o,
			       uint32_t function, struct constraints *out);
