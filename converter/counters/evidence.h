/* SPDX-License-Identifier: MIT */
/*
 * What observations say of how often the blocks and arcs of one instance of a function ran. A
 * statement was made into several instructions, in several machine blocks: copies (of loops and
 * tails) add up, what was hoisted or merged does not, so what is known is an interval, and how much
 * it can be relied on depends on the kind of instruction. docs/counters.md has the rules.
 */
#ifndef CONVERTER_COUNTERS_EVIDENCE_H
#define CONVERTER_COUNTERS_EVIDENCE_H

#include "converter/counters/observations.h"
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

/* Observations [first,end) of one function and context. */
struct evidence_source {
	uint32_t context;
	size_t first, end;
};

void evidence_deinit(struct evidence *v);
/* What the observations of these contexts of function number @function say. 0, or -1 without
 * memory. */
int evidence_collect(const struct key_index *keys, const struct observations *o, uint32_t function,
		     const struct evidence_source *sources, size_t count, struct evidence *out);
/* One more. 0, or -1 without memory. */
int evidence_wish(struct evidence *v, uint32_t of, uint64_t at, double below, double above);
#endif
