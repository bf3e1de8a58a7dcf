/* SPDX-License-Identifier: MIT */
/*
 * Conditional jumps as evidence: a jump made from the condition of a block with two ways out says
 * how often each was gone, once it is known which of them the jump takes. That follows from the
 * statements at the jump's two ends, and those of the blocks that the ways lead to.
 */
#ifndef CONVERTER_GCC_COUNTERS_JUMP_EVIDENCE_H
#define CONVERTER_GCC_COUNTERS_JUMP_EVIDENCE_H

#include "converter/gcc/counters/observations.h"
#include "converter/gcc/counters/ways.h"

struct jump_count {
	uint32_t arc, block; /* of the function's graph; the block is where the arc leaves */
	uint64_t count;
};

/* Start zeroed. */
struct jump_evidence {
	VECTOR(struct jump_count) items; /* each arc once */

	struct ways ways;
	VECTOR(uint32_t) of_arc; /* by arc: the item + 1 */
};

void jump_evidence_deinit(struct jump_evidence *v);
/* Of jumps of function @f, which has to live as long. 0, or -1 without memory. */
int jump_evidence_init(struct jump_evidence *v, const struct key_function *f);
/* Add what a jump of the function says. 0, or -1 without memory. */
int jump_evidence_add(struct jump_evidence *v, const struct observations *o,
		      const struct observed_jump *j);
/* The counts of all jumps from @block. */
uint64_t jump_evidence_sum(const struct jump_evidence *v, uint32_t block);

#endif
