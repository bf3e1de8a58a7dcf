/* SPDX-License-Identifier: MIT */
/*
 * From traces to frequencies. Traces that a timer started begin where the program spends time, not
 * where it branches often: slow code is over-weighted, fast code is missed. Two estimators, both
 * of the traces alone (docs/frequencies.md has the formulas and what they gain):
 *
 * - re-weighting: a trace that starts where more traces start than branches were seen counts less.
 * - chain: re-weighted traces are stitched together to a Markov chain over branch targets, which
 *   jumps from a trace's end to a trace's start with a small weight. Its stationary distribution is
 *   how often each target is reached. Made twice: the second time the weights are from the
 *   frequencies that the first one found. What it changes is believed the less, the less that is
 *   beyond what chance changes.
 *
 * Where the recording tells how fast the program ran at each trace, that is its weight, however
 * long the trace is: one that was cut short stands for as much of the time as others. Traces of
 * unknown rates whose starts are spread as the branches are, as by an event that counts branches,
 * are left as they are. Same traces, same result: sums are made in the order of the traces.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

enum frequencies {
	FREQUENCIES_AUTO,
	FREQUENCIES_RAW, /* each branch counts as often as it was recorded */
	FREQUENCIES_REWEIGHT,
	FREQUENCIES_CHAIN,
};

struct frequencies_branch {
	uint64_t from, to; /* any numbers that tell places apart */
};

struct frequencies_traces {
	const struct frequencies_branch *branches;
	size_t branch_count;
	const uint32_t *entries; /* branch numbers, oldest first */
	size_t entry_count;
	const size_t *begins; /* of traces, none of them empty */
	/* of traces, the one that it goes on with, or itself; NULL: each is whole */
	const size_t *firsts;
	size_t trace_count;
	const uint64_t *weights; /* of traces, by how fast the program ran; 0 = not known */
	const uint64_t *times;	 /* each trace was seen; NULL: once */
};

/* The code that runs from one branch to the next: from the target of @before to the source of
 * @branch. */
struct frequencies_range {
	uint32_t before, branch;
	double n;
};

struct frequencies_result {
	bool examined;	/* if not, there were too few traces */
	bool estimated; /* biased, or weighted; else there is nothing below but the figures */
	bool rated;	/* the traces' rates are known */
	double starts, middles; /* overlap of their sources with those of all branches, 0 to 1 */
	double shrinkage;	/* of what the chain changes this share is kept, 0 to 1 */
	unsigned sweeps;	/* over the chain, all in all */
	double *weights;  /* of traces, as each of their branches counted (before the chain) */
	double *branches; /* how often each was taken; their sum is that of all traces' entries */
	VECTOR(struct frequencies_range) ranges;
};

void frequencies_deinit(struct frequencies_result *r);
/* @result: zeroed. 0, or -1 without memory. */
int frequencies_estimate(const struct frequencies_traces *in, enum frequencies how,
			 struct frequencies_result *result);
