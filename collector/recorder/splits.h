/* SPDX-License-Identifier: MIT */
/*
 * How much of a recording is chance, while it is made: each trace goes to one of two halves at
 * random, in several ways at once, and with h the mean overlap of the halves' counts of branches,
 * (1 - h) / 2 is about what the whole misses by having so few traces (docs/scores.md). Bias, which
 * no length removes, is not in it, nor is what the program does later on.
 *
 * Counts are summed up anew when the recording has grown by a sixteenth, so a trace costs what its
 * branches do, and a part of the distinct ones.
 */
#ifndef COLLECTOR_RECORDER_SPLITS_H
#define COLLECTOR_RECORDER_SPLITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

/* Fewer traces tell nothing: those of a loop are all alike. */
#define SPLITS_TRACES_LEAST 100u
/* Ways to halve it. */
#define SPLITS_WAYS 8u

/* Of a branch, by the traces' weights. */
struct splits_count {
	double all, first[SPLITS_WAYS]; /* first: in the first half, by each way */
};

/* Start zeroed; splits_deinit frees. */
struct splits {
	VECTOR(struct splits_count) counts;
	uint64_t traces, rated;
	double weights;	    /* of the rated ones, summed up */
	double weight;	    /* of the trace at hand */
	unsigned sides;	    /* the same: a bit for each way, 1 = the first half */
	uint64_t looked_at; /* traces, when the overlap was last estimated */
	double overlap;	    /* then */
	double before;	    /* at the estimate before that; 0: there was none */
};

/* A trace begins, those before it are whole. @weight 0: its rate is not known, it counts as the
 * mean; the first weight makes all before it as heavy. */
void splits_begin(struct splits *h, uint32_t thread, uint64_t time_ns, uint64_t weight);
/* The trace at hand has branch @number, counted from 0; -1 without memory. */
int splits_add(struct splits *h, uint64_t number);
/* The expected loss of overlap, 0 to 1; NaN: not known yet. Of two estimates the worse one: who
 * waits for a value does not take the first that comes by chance. */
double splits_noise(const struct splits *h);
void splits_deinit(struct splits *h);

#endif
