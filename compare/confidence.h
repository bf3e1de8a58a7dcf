/* SPDX-License-Identifier: MIT */
/*
 * How much of a score sampling noise decides. Samples are cut into parts at random; the parts of a
 * side against each other give what its noise costs, and scores of parts drawn with replacement (a
 * bootstrap of groups) how much the score at hand varies. Formulas: docs/scores.md.
 */
#pragma once

#include "compare/diff.h"

/* Set d->confidence, behind the scores. */
int confidence_estimate(struct diff *d, struct softlbr_error *e);

/*
 * How many times longer a recording must be for sampling noise to cost at most a point (0.01) at
 * @level; 1 if it is long enough, NaN if not known.
 */
double confidence_times_longer(const struct diff *d, enum diff_level level);

/* Seconds of recording after which noise costs @target of a share, if it costs @share after so
 * many as @c has; NaN: not known. */
double confidence_seconds_to(const struct side *c, double share, double target);

/*
 * The Wilson score interval (E. B. Wilson, 1927): what a probability may be, at 95 % confidence,
 * where @part of @whole independent trials succeeded; @whole is not 0. Unlike p +- 2 s it stays in
 * [0, 1], and holds for few trials and for shares near 0 and 1.
 */
void confidence_of_share(uint64_t part, uint64_t whole, double *low, double *high);
