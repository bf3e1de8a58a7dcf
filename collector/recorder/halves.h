/* SPDX-License-Identifier: MIT */
/*
 * How much of a recording is chance, while it is made: each trace goes to one of two halves at
 * random, and with h the overlap of the halves' counts of branches, (1 - h) / 2 is about what the
 * whole misses by having so few traces (docs/scores.md). Bias, which no length removes, is not in
 * it, nor is what the program does later on.
 *
 * Counts are in the map of distinct branches that the recorder keeps anyway (novelty.h). They are
 * summed up anew when the recording has grown by a sixteenth, so a trace costs what a map of that
 * size does, divided by that.
 */
#ifndef COLLECTOR_RECORDER_HALVES_H
#define COLLECTOR_RECORDER_HALVES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"

/* Fewer traces tell nothing: those of a loop are all alike. */
#define HALVES_TRACES_LEAST 100u

/* Start zeroed. */
struct halves {
	uint64_t traces, rated;
	double weights;	    /* of the rated ones, summed up */
	uint64_t looked_at; /* traces, when the noise was last estimated */
	double overlap;	    /* then */
	double before;	    /* at the estimate before that */
};

/* A trace is to be counted: of which half it is (0 or 1), the same for all of its records. */
unsigned halves_of(uint32_t thread, uint64_t time_ns);
/* What a trace of weight @weight counts in @counts (0: its rate is not known; it is the mean). The
 * first weight makes those before it as heavy. */
uint64_t halves_weight(struct halves *h, struct map *counts, uint64_t weight);
/* A trace is counted, in the entries' n or m: estimate again, if that is due. */
void halves_look(struct halves *h, const struct map *counts);
/* The expected loss of overlap, 0 to 1; NaN: not known yet. Of two estimates the worse one: who
 * waits for a value does not take the first that comes by chance. */
double halves_noise(const struct halves *h);

#endif
