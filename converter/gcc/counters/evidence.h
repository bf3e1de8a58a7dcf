/* SPDX-License-Identifier: MIT */
/* What is known of how often the blocks and arcs of one instance of a function ran. */
#ifndef CONVERTER_GCC_COUNTERS_EVIDENCE_H
#define CONVERTER_GCC_COUNTERS_EVIDENCE_H

#include <stdbool.h>

#include "base/vector.h"
#include "mcf/circulation.h"

/* A cost for a weight of 1. */
#define EVIDENCE_ONE 10000u

/* Together these blocks ran so often at least. */
struct evidence_sum {
	uint32_t first, count; /* in evidence.blocks */
	uint64_t least;
	uint32_t below; /* cost of each one less */
	bool lacked;	/* by a solution: from then on their shares are wished for */
};

/* Start zeroed. Wishes are of the arcs of the function's graph, and of its blocks as nodes. */
struct evidence {
	VECTOR(struct circulation_wish) wishes;
	VECTOR(struct evidence_sum) sums;
	VECTOR(uint32_t) blocks;
};

void evidence_deinit(struct evidence *v);
/* One more: @of ran @at times; one less costs @below, one more @above. 0, or -1 without memory. */
int evidence_wish(struct evidence *v, uint32_t of, uint64_t at, double below, double above);

#endif
