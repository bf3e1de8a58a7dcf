/* SPDX-License-Identifier: MIT */
/*
 * Constraints by jumps. A conditional jump that was made from the condition of a block with two
 * successors tells how often each of the two arcs was taken, once it is known which of them the
 * jump takes. That follows from the statements at the jump's two ends, and from those of the two
 * successors. Of computed gotos the count of each label is exact, except where labels' code was
 * merged.
 */
#pragma once

#include "converter/gcc/counters/attributions.h"
#include "converter/gcc/counters/constraints.h"
#include "converter/gcc/counters/successors.h"

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
