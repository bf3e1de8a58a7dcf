/* SPDX-License-Identifier: MIT */
/*
 * What observations say of how often the blocks and arcs of one instance of a function ran. A
 * statement was made into several instructions, in several machine blocks: copies (of loops and
 * tails) add up, what was hoisted or merged does not, so what is known is an interval, and how much
 * it can be relied on depends on the kind of instruction. docs/counters.md has the rules.
 */
#ifndef CONVERTER_GCC_COUNTERS_INSTANCE_EVIDENCE_H
#define CONVERTER_GCC_COUNTERS_INSTANCE_EVIDENCE_H

#include "converter/gcc/counters/evidence.h"
#include "converter/gcc/counters/observations.h"

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
