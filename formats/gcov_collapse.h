/* SPDX-License-Identifier: MIT */
/*
 * One record per line, for GCC up to 12.
 *
 * That GCC's reader masks the discriminator off and lets the last record of a line overwrite the
 * others, so one count has to stand for all basic blocks of a line. GCC then gives each block the
 * greatest count among its statements' lines.
 */
#ifndef FORMATS_GCOV_COLLAPSE_H
#define FORMATS_GCOV_COLLAPSE_H

#include "formats/source_profile.h"

enum gcov_collapse_rule {
	GCOV_COLLAPSE_LEAST,
	GCOV_COLLAPSE_GREATEST,
	GCOV_COLLAPSE_FIRST, /* lowest discriminator: where the line is entered */
	GCOV_COLLAPSE_LAST,  /* highest discriminator: what create_gcov's order amounts to */
};

/* In place, @p stays sorted; 0, or -1 without memory (@p is then only fit to be deinitialised). */
int gcov_collapse(struct source_profile *p, enum gcov_collapse_rule rule);

#endif
