/* SPDX-License-Identifier: MIT */
/*
 * How much of a recording is sampling noise: its traces are cut into two halves at random, and
 * these are compared as two recordings would be.
 */
#pragma once

#include "converter/binary/binary.h"
#include "converter/samples/aggregate.h"
#include "softlbr/error.h"

/* Start zeroed. */
struct halves {
	struct branch_profile of[2];
};

void halves_deinit(struct halves *h);
/* Add the halves of a recording, each count @weight times. 0 or a negative code. */
int halves_add(struct halves *h, struct binary *b, const struct aggregate_options *how,
	       const char *path, uint64_t weight, struct softlbr_error *e);
/* How much is the same, 0 to 1, of the hot taken branches: of the most frequent ones, that are nine
 * tenths of all. NaN if one half has none. 0, or -1 without memory. */
int halves_overlap(const struct halves *h, double *overlap);
/* How many times longer a recording has to be whose halves overlap by @wanted, if they do by
 * @overlap. */
double halves_times_longer(double overlap, double wanted);
