/* SPDX-License-Identifier: MIT */
/*
 * How much alike two profiles of one binary are, by their edges. The formulas, with an example
 * worked by hand, are in docs/scores.md; the degree of overlap is that of Chen et al., "Taming
 * hardware event samples for FDO compilation", section 6.1. All are shares in [0,1]; 0 if a side
 * has nothing, NaN if neither has, and where functions are needed and there are none.
 */
#ifndef COMPARE_EDGE_SCORE_H
#define COMPARE_EDGE_SCORE_H

#include "compare/edges.h"

/* With reference R and estimate E; only `within` and `taken_ratio` are not symmetric. */
struct edge_score {
	double branch;	 /* overlap of taken branches */
	double edge;	 /* of taken branches and not-taken ways */
	double within;	 /* of the edges of each function, weighted by the function's weight in R */
	double function; /* of the functions' weights */
	double call;	 /* of calls: where from, and where to */
	double jump;	 /* of conditional jumps, both ways: those that layout is decided by */
	/* mean |difference| of the share of times that a conditional jump was taken, weighted by
	 * times run in R, over those that E has seen too */
	double taken_ratio_error;   /* NaN if there is none that both have seen */
	double taken_ratio_covered; /* weight in R of the conditional jumps that E has seen too */
};

/* A function that ran in either: shares of all edges, how alike within, and its part of what misses
 * to an edge overlap of 1. */
struct edge_function {
	size_t function;
	double share[2];
	double within;
	double lost;
};

struct edge_functions {
	VECTOR(struct edge_function) items; /* by falling loss, then share, then by address */
};

/* @reference: 0 or 1, the side that counts as true. 0, or -1 without memory. */
int edge_score_compare(const struct edges *edges, unsigned reference, struct edge_score *out);
/* @out zeroed, freed with vector_deinit. 0, or -1 without memory. */
int edge_score_functions(const struct edges *edges, unsigned reference, struct edge_functions *out);

#endif
