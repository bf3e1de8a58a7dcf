/* SPDX-License-Identifier: MIT */
/* Between the files of a comparison. */
#ifndef COMPARE_DIFF_PRIVATE_H
#define COMPARE_DIFF_PRIVATE_H

#include "compare/diff.h"

/* Set those of edges. */
void diff_edge_scores(const struct edge_score *s, double scores[DIFF_LEVELS]);
/* Set d->confidence, behind the scores. */
int confidence_estimate(struct diff *d, struct softlbr_error *e);

#endif
