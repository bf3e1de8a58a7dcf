/* SPDX-License-Identifier: MIT */
/*
 * How much alike two source profiles are. Formulas, with an example worked by hand: docs/scores.md.
 * `function` is the number of autofdo's profile_diff; those of struct source_similarity are the
 * numbers of `llvm-profdata overlap --sample`.
 */
#pragma once

#include "base/strings.h"
#include "base/vector.h"
#include "formats/model/source_profile.h"

/* Shares in [0,1]. */
struct source_similarity {
	double program;	      /* whole program profile similarity */
	double samples;	      /* whole program sample overlap: of raw counts */
	double unique[2];     /* share of samples where the other has none */
	double functions;     /* function overlap: by names */
	double hot_functions; /* hot-function overlap */
	double hot_blocks;    /* hot-block overlap */
};

struct source_score {
	double function; /* minimum of the functions' shares */
	double line;	 /* minimum of the shares at each inline stack, line and discriminator */
	double call;	 /* the same of call targets; NaN if there are none */
	struct source_similarity llvm;
};

/* A function of either, its inlined calls included. */
struct source_pair {
	uint32_t name; /* in source_comparison.names */
	const struct source_function *sides[2];
	double total[2];
	double share[2];
	double line;	 /* overlap of its lines, each side normalised */
	double distance; /* sum of |difference| of its lines' shares of the function */
	double lost;	 /* its part of what misses to a line overlap of 1 */
};

struct source_comparison {
	struct strings *names;
	VECTOR(struct source_pair) pairs; /* ascending by name text */
	double total[2];		  /* of all body counts */
	struct source_score score;
};

/* Compare; both profiles are sorted and outlive @out, which is initialised by the call also if it
 * fails. @reference: whose shares are missed by `lost`. 0, or -1 without memory. */
int source_score_compare(const struct source_profile *first, const struct source_profile *second,
			 unsigned reference, struct source_comparison *out);
void source_score_deinit(struct source_comparison *c);

/*
 * What @from would be without inlining: each inlined instance is added to the function that it is
 * one of, and where it was called from the caller gets the count of its first line. @to is
 * initialised by the call, also if it fails. 0, or -1 without memory.
 */
int source_flatten_profile(const struct source_profile *from, struct source_profile *to);
