/* SPDX-License-Identifier: MIT */
/*
 * How much alike two sets of counters for gcc are: overlap of functions and of the arcs that have a
 * counter, each side normalised by its sum (docs/scores.md).
 */
#pragma once

#include "converter/gcc/files/counter_directory.h"

/* A function of either, or of both. */
struct counter_pair {
	const struct counter_function *of[2]; /* borrowed; NULL: that side has none */
	double share[2];
	double arcs; /* overlap of its arcs, each side normalised; NaN if one is all zero */
	double lost; /* its part of what misses to an overlap of 1 */
};

struct counter_comparison {
	VECTOR(struct counter_pair) pairs; /* by ident, ascending */
	double function;		   /* minimum of the functions' shares */
	double arcs;			   /* minimum of the arcs' shares */
	double within;			   /* of the functions' arcs, weighted by the reference */
};

/* @reference: 0 or 1, whose shares are missed by `lost`. @out is initialised by the call, to be
 * ended with counter_score_deinit. 0, or -1 without memory. */
int counter_score_compare(const struct counter_list lists[2], unsigned reference,
			  struct counter_comparison *out);
void counter_score_deinit(struct counter_comparison *c);
