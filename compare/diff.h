/* SPDX-License-Identifier: MIT */
/* A comparison of two profiles or recordings at every level that they can be compared at. */
#pragma once

#include "compare/edges.h"
#include "compare/side.h"
#include "compare/source_score.h"

/* "edge" */
const char *diff_level_name(enum diff_level level);
/* The level's meaning, for people. */
const char *diff_level_meaning(enum diff_level level);

/* How much of a score sampling noise decides, where a side is of samples; NaN where neither is. */
struct diff_confidence {
	double low, high; /* 95 % of such recordings score between */
	/* The expected score of a collector without any bias, with as many samples. */
	double ceiling;
};

struct diff_options {
	const char *paths[2];
	/* NULL: what a recording says, as side_open_binary has it; no binary for two source
	 * profiles */
	const char *binary_path;
	const char *keys_path;		   /* of counters: for names; may be NULL */
	const struct debug_search *search; /* may be NULL */
	enum frequencies frequencies;	   /* of recordings: as convert has it */
	bool flatten;			   /* source profiles as if nothing had been inlined */
	bool no_confidence;		   /* leave it out: it reads recordings many times */
	struct aggregate_progress progress;
};

struct diff_function {
	const char *name; /* borrowed from the diff */
	uint64_t va;	  /* 0 if not known */
	double share[2];
	double within;
	double lost; /* its part of what misses to an overlap of 1 */
};

struct diff {
	struct side sides[2];
	unsigned reference; /* the side that is taken for true */
	struct binary *binary;
	bool has_edges; /* both are of branches */
	struct edges edges;
	struct edge_score edge_score;
	bool has_source; /* both have a source profile */
	struct source_comparison source;
	bool has_counters;	    /* both are counters of gcc's control-flow graphs */
	struct strings *names;	    /* of their functions */
	double scores[DIFF_LEVELS]; /* shares in [0,1]; NaN = can't be compared at this level */
	struct diff_confidence confidence[DIFF_LEVELS];
	VECTOR(struct diff_function) functions; /* by falling loss */
};

/*
 * Compare. The reference is the side with exact counts, else the second. @out is initialised by the
 * call, to be ended with diff_deinit also on failure.
 */
int diff_make(struct diff *out, const struct diff_options *options, struct softlbr_error *e);
void diff_deinit(struct diff *d);
