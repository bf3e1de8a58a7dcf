/* SPDX-License-Identifier: MIT */
/*
 * What observations say of how often the blocks and arcs of one instance of a function ran. A
 * statement was made into several instructions, in several machine blocks: copies (of loops and
 * tails) add up, what was hoisted or merged does not, so what is known is an interval, and how much
 * it can be relied on depends on the kind of instruction. docs/counters.md has the rules.
 *
 * What is known of how often the blocks and arcs of one instance of a function ran.
 */
#ifndef CONVERTER_GCC_COUNTERS_CONSTRAINTS_H
#define CONVERTER_GCC_COUNTERS_CONSTRAINTS_H

#include <stdbool.h>

#include "base/vector.h"
#include "converter/gcc/counters/doubts.h"
#include "converter/gcc/counters/estimate.h"
#include "converter/gcc/counters/observations.h"
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

static inline void evidence_deinit(struct evidence *v)
{
	vector_deinit(&v->wishes);
	vector_deinit(&v->sums);
	vector_deinit(&v->blocks);
}

/* One more: @of ran @at times; one less costs @below, one more @above. 0, or -1 without memory. */
static inline int evidence_wish(struct evidence *v, uint32_t of, uint64_t at, double below,
				double above)
{
	struct circulation_wish *w = vector_push(&v->wishes);

	if (!w)
		return -1;
	*w = (struct circulation_wish){.of = of,
				       .at = at,
				       .below = (uint32_t)(below * EVIDENCE_ONE),
				       .above = (uint32_t)(above * EVIDENCE_ONE)};
	return 0;
}

/* Observations [first,end) of one function and context. */
struct instance_evidence_source {
	uint32_t context;
	size_t first, end;
};

/* What the observations of these contexts of function number @function say. 0, or -1 without
 * memory. */
int instance_evidence_collect(const struct key_index *keys, const struct observations *o,
			      uint32_t function, const struct instance_evidence_source *sources,
			      size_t count, struct evidence *out);

#endif
