/* SPDX-License-Identifier: MIT */
/*
 * One record per line, for GCC up to 12.
 *
 * That GCC's reader masks the discriminator off and lets the last record of a line overwrite the
 * others, so one count has to stand for all basic blocks of a line: the greatest, which of the
 * rules (docs/formats/gcov.md) is the simplest among the best.
 */
#ifndef FORMATS_GCOV_COLLAPSE_H
#define FORMATS_GCOV_COLLAPSE_H

#include "formats/model/source_profile.h"

/* In place, @p stays sorted; 0, or -1 without memory (@p is then only fit to be deinitialised). */
int gcov_collapse_profile(struct source_profile *p);

#endif
