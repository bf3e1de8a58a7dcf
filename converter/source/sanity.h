/* SPDX-License-Identifier: MIT */
/*
 * Is an attributed profile what the program did? A profile at shifted addresses, or of another
 * build, still lands on source lines, and a compiler takes it without a word and makes slower code.
 * These figures tell it (docs/attribution.md): such a profile had no entry for 98 % of its
 * functions and 18 call targets for 1324. What each may be: converter/pipeline/verdict.h.
 */
#ifndef CONVERTER_SOURCE_SANITY_H
#define CONVERTER_SOURCE_SANITY_H

#include "converter/source/attribute.h"

enum sanity_figure {
	/* Functions that ran, but that nothing was seen to enter. */
	SANITY_NOT_ENTERED,
	/* Calls that do not arrive at a function's first instruction or at a PLT stub. */
	SANITY_CALLS_MISDIRECTED,
	/* By how much the counts of functions' first instructions and of what leads there differ.
	 */
	SANITY_ENTRY_RESIDUAL,
	/* Runs of call instructions for which no call was seen. */
	SANITY_CALLS_UNRECORDED,
	/* Runs of unconditional branches, other than returns, that no branch was seen of. */
	SANITY_FLOW_RESIDUAL,
	/* Weight of ranges that is in functions, but at no source line. */
	SANITY_NO_LINE,
	/* Weight of ranges in no function symbol. */
	SANITY_NO_SYMBOL,
	SANITY_FIGURES,
};

struct sanity_value {
	uint64_t part, whole;
	double share; /* part / whole; 0 if there is no whole */
};

struct sanity {
	struct sanity_value values[SANITY_FIGURES];
};

/* What a figure means, for people: "functions that nothing was seen to enter". */
const char *sanity_figure_name(enum sanity_figure figure);
void sanity_measure(const struct attribute_stats *stats, struct sanity *out);

#endif
