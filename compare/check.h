/* SPDX-License-Identifier: MIT */
/*
 * Is a profile good before anything is built with it? Figures of a recording, branch profile or
 * fdata against its binary, of its hot code against another build, or of a source profile against
 * the binary's symbols. What each means: docs/scores.md.
 */
#pragma once

#include "compare/imbalance.h"
#include "compare/side.h"
#include "compare/staleness.h"
#include "converter/pipeline/verdict.h"

struct check_options {
	const char *profile_path;
	const char *binary_path; /* NULL: what a recording says, as side_open_binary has it */
	const struct debug_search *search; /* may be NULL */
	const char *against_path;	   /* another build, or NULL */
	enum frequencies frequencies;	   /* of recordings: as convert has it */
	struct verdict limits;		   /* by verdict_init and verdict_limit */
	struct aggregate_progress progress;
};

struct check {
	struct side side;
	struct binary *binary, *against;
	struct verdict verdict;
	struct imbalances gaps;
	struct staleness stale;
};

/* @out is initialised by the call, ended with check_deinit also on failure. That the profile is
 * no good is no error: out->verdict. */
int check_make(struct check *out, const struct check_options *options, struct softlbr_error *e);
void check_deinit(struct check *c);
