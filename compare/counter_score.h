/* SPDX-License-Identifier: MIT */
/* How much alike two counter profiles of one object file are: overlap of the arcs' counters, each
 * side normalised by its sum (docs/scores.md). */
#ifndef COMPARE_COUNTER_SCORE_H
#define COMPARE_COUNTER_SCORE_H

#include "converter/gcc/files/counter_profile.h"

/* A function of either. */
struct counter_pair {
	uint32_t ident;
	bool differ; /* the control-flow graphs do: nothing overlaps */
	double total[2];
	double share[2];
	double arcs; /* overlap of its arcs, each side normalised; NaN if one is all zero */
	double lost; /* its part of what misses to an overlap of 1 */
};

struct counter_comparison {
	VECTOR(struct counter_pair) pairs; /* by ident, ascending */
	double total[2];
	double function; /* minimum of the functions' shares */
	double arcs;	 /* minimum of the arcs' shares */
};

/* Compare; @out is initialised by the call. @reference: whose shares are missed by `lost`. 0, or -1
 * without memory. */
int counter_score_compare(const struct counter_profile *first, const struct counter_profile *second,
			  unsigned reference, struct counter_comparison *out);
void counter_score_deinit(struct counter_comparison *c);

#endif
