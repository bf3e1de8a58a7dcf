/* SPDX-License-Identifier: MIT */
/*
 * Is a profile good before anything is built with it? Figures of a recording, branch profile or
 * fdata against its binary, of its hot code against another build, or of a source profile against
 * the binary's symbols. What each means: docs/scores.md.
 */
#ifndef COMPARE_CHECK_H
#define COMPARE_CHECK_H

#include "compare/comparand.h"
#include "compare/flow_gap.h"
#include "compare/staleness.h"

enum check_figure_kind {
	/* of branches */
	CHECK_BRANCHES, /* a number; all others are shares in [0,1] */
	CHECK_CHANCE,
	CHECK_VALID_BRANCHES,
	CHECK_INVALID_RANGES,
	CHECK_GAP,
	CHECK_GAP_TOP,
	CHECK_WORST_GAP_TOP,
	CHECK_DISCONTINUITY,
	CHECK_DISCONTINUITY_TOP,
	CHECK_CALL_GAP,
	CHECK_FUNCTIONS_RUN,
	CHECK_BLOCKS_RUN,
	/* of what a compiler gets of it */
	CHECK_UNENTERED,
	CHECK_NO_LINE,
	CHECK_NO_SYMBOL,
	/* of another build */
	CHECK_SAME_CODE,
	CHECK_SAME_FLOW,
	/* of profiles by names: for compilers and fdata */
	CHECK_NAMES_UNKNOWN,
	CHECK_TARGETS_UNKNOWN,
	CHECK_FIGURES
};

enum check_bound { CHECK_NO_BOUND, CHECK_AT_LEAST, CHECK_AT_MOST };

struct check_figure {
	double value; /* NaN = does not apply */
	double limit;
	enum check_bound bound;
};

struct check_options {
	const char *profile_path, *binary_path;
	const char *against_path;     /* another build, or NULL */
	double limits[CHECK_FIGURES]; /* NaN = the default one */
};

struct check {
	struct comparand side;
	struct binary *binary, *against;
	struct check_figure figures[CHECK_FIGURES];
	struct flow_gaps gaps;
	struct staleness stale;
	bool poor;
};

const char *check_figure_key(enum check_figure_kind kind);
const char *check_figure_meaning(enum check_figure_kind kind);
bool check_figure_is_poor(const struct check_figure *f);

/* @out is initialised by the call, ended with check_deinit also on failure. That the profile is
 * poor is no error: out->poor. */
int check_make(struct check *out, const struct check_options *options, struct softlbr_error *e);
void check_deinit(struct check *c);

#endif
