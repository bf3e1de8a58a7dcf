/* SPDX-License-Identifier: MIT */
/*
 * A few traces' rates are far too high: where the stretch that was timed was faster than the rest
 * of the path, or the noise took most of the measured time. They are winsorized, unless other
 * traces through the same code have such rates, too: code that is fast and rare is no outlier.
 */
#ifndef CONVERTER_SAMPLES_RATE_OUTLIERS_H
#define CONVERTER_SAMPLES_RATE_OUTLIERS_H

#include "converter/samples/trace_counts.h"

/* @weights: of each trace of s->in, 0 = not known; those of traces that go on with another have no
 * meaning. s->sources are numbered. 0, or -1 without memory. */
int rate_outliers_limit(const struct trace_counts *s, double *weights);

#endif
