/* SPDX-License-Identifier: MIT */
/*
 * Is an attributed profile what the program did? A profile at shifted addresses, or of another
 * build, still lands on source lines, and a compiler takes it without a word and makes slower code.
 * These figures tell it (docs/attribution.md): such a profile had no entry for 98 % of its
 * functions and 18 call targets for 1324.
 */
#ifndef CONVERTER_SOURCE_SANITY_H
#define CONVERTER_SOURCE_SANITY_H

#include "converter/source/attribute.h"

enum sanity_verdict {
	SANITY_GOOD,
	SANITY_POOR,   /* to be written, with a warning and the status for it */
	SANITY_FAILED, /* not to be written unless the user insists */
};

enum sanity_figure {
	/* Functions that ran, but that nothing was seen to enter. */
	SANITY_NOT_ENTERED,
	/* Calls that do not arrive at a function's first instruction or at a PLT stub. */
	SANITY_CALLS_ASTRAY,
	/* By how much the counts of functions' first instructions and of what leads there differ.
	 */
	SANITY_ENTRY_RESIDUAL,
	/* Runs of call instructions for which no call was seen. */
	SANITY_CALLS_UNTOLD,
	/* Runs of unconditional branches, other than returns, that no branch was seen of. */
	SANITY_FLOW_RESIDUAL,
	/* Weight of ranges that is in functions, but at no source line. */
	SANITY_NO_LINE,
	/* Weight of ranges in no function symbol. */
	SANITY_NO_SYMBOL,
	SANITY_FIGURES,
};

struct sanity_limit {
	double poor, failed; /* shares above which it is so */
};

struct sanity_value {
	uint64_t part, whole;
	double share; /* part / whole; 0 if there is no whole */
	enum sanity_verdict verdict;
};

struct sanity {
	struct sanity_value values[SANITY_FIGURES];
	enum sanity_verdict verdict; /* the worst */
};

/* What each figure may be. */
extern const struct sanity_limit sanity_default_limits[SANITY_FIGURES];

/* What a figure means, for people: "functions that nothing was seen to enter". */
const char *sanity_figure_name(enum sanity_figure figure);
/* A stack of N branches has N - 1 ranges: entries of recordings of @branches and @ranges lack that
 * share of what led to them. Changes the limit of the entry residual. */
void sanity_allow_short_stacks(struct sanity_limit limits[SANITY_FIGURES], uint64_t branches,
			       uint64_t ranges);
/* @limits may be NULL: the default ones. */
void sanity_judge(const struct attribute_stats *stats, const struct sanity_limit *limits,
		  struct sanity *out);

#endif
