/* SPDX-License-Identifier: MIT */
/*
 * Conditional jumps as evidence: a jump made from the condition of a block with two ways out says
 * how often each was gone, once it is known which of them the jump takes. That follows from the
 * statements at the jump's two ends, and those of the blocks that the ways lead to.
 */
#ifndef CONVERTER_COUNTERS_JUMP_EVIDENCE_H
#define CONVERTER_COUNTERS_JUMP_EVIDENCE_H

#include "converter/counters/observations.h"

struct jump_count {
	uint32_t arc, block; /* of the function's graph; the block is where the arc leaves */
	uint64_t count;
};

/* Start zeroed. */
struct jump_evidence {
	VECTOR(struct jump_count) items; /* by arc, each once */
};

void jump_evidence_deinit(struct jump_evidence *v);
/* Add what a jump of the function says. 0, or -1 without memory. */
int jump_evidence_add(struct jump_evidence *v, const struct key_function *f,
		      const struct observations *o, const struct observed_jump *j);

#endif
