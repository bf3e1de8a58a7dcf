/* SPDX-License-Identifier: MIT */
/*
 * From the instructions that were made from the statements at one place to the blocks that these
 * are in. Where they are in several, discriminators tell the blocks apart, or the order in which
 * one body was inlined early several times.
 */
#ifndef CONVERTER_GCC_COUNTERS_PLACE_EVIDENCE_H
#define CONVERTER_GCC_COUNTERS_PLACE_EVIDENCE_H

#include "converter/gcc/counters/doubts.h"
#include "converter/gcc/counters/estimate.h"
#include "converter/gcc/counters/evidence.h"

/* An interval that is of one block. */
struct place_block {
	uint32_t block;
	struct estimate is;
};

/* Start zeroed, but for the first four. */
struct place_evidence {
	const struct observations *all;
	const struct key_function *f;
	const struct doubts *doubts;
	struct evidence *out; /* what is known of several blocks, or of others */
	VECTOR(struct place_block) single;

	struct estimate_items chosen;	  /* of a place, what is looked at */
	VECTOR(uint32_t) blocks, ordered; /* of a place: each once; its inner ones */
};

void place_evidence_deinit(struct place_evidence *v);
/* All observations [i,end) of one place, by discriminator. 0, or -1 without memory. */
int place_evidence_add(struct place_evidence *v, const struct estimate_item *i,
		       const struct estimate_item *end);

#endif
