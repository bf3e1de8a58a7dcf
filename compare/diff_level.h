/* SPDX-License-Identifier: MIT */
/* The levels that profiles are compared at. */
#ifndef COMPARE_DIFF_LEVEL_H
#define COMPARE_DIFF_LEVEL_H

#include "compare/edge_score.h"

enum diff_level {
	DIFF_FUNCTION,
	DIFF_LINE,
	DIFF_EDGE,
	DIFF_BRANCH,
	DIFF_WITHIN,
	DIFF_JUMP,
	DIFF_CALL,
	DIFF_LEVELS
};

/* "edge" */
const char *diff_level_name(enum diff_level level);
/* What it is, for people. */
const char *diff_level_meaning(enum diff_level level);
/* The level of that name; DIFF_LEVELS if none. */
enum diff_level diff_level_of(const char *name);

/* Set the scores of those levels that are of edges. */
void diff_level_scores(const struct edge_score *s, double scores[DIFF_LEVELS]);

#endif
