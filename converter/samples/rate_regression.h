/* SPDX-License-Identifier: MIT */
/*
 * What is measured of traces' rates is noisy, and traces that go through the same code have much
 * the same. So rates are regressed on what traces go through: ridge regression of their logarithms
 * on the square roots of the shares of sources, that is, a Gaussian process whose covariance is how
 * alike two traces are (Bhattacharyya's coefficient). What the regression leaves is regressed
 * in turn, as sums of rates are wanted, and a mean of logarithms is below the logarithm of a mean.
 */
#ifndef CONVERTER_SAMPLES_RATE_REGRESSION_H
#define CONVERTER_SAMPLES_RATE_REGRESSION_H

#include "converter/samples/trace_counts.h"

/*
 * @rates: of each trace of s->in that does not go on with another: branches per time, 0 = not
 * known; they become what the regression says, greater than 0. Others stay as they are. s->sources
 * are numbered. 0, or -1 without memory.
 */
int rate_regression(const struct trace_counts *s, double *rates);

#endif
