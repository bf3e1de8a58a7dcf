/* SPDX-License-Identifier: MIT */
/*
 * The Markov chain over branch targets that weighted traces make. It jumps from a trace's end to a
 * trace's start; its stationary distribution is how often each target is reached.
 */
#ifndef CONVERTER_SAMPLES_CHAIN_H
#define CONVERTER_SAMPLES_CHAIN_H

#include "converter/samples/trace_counts.h"

/* Branches and transitions become what the chain makes of them; 0, or -1 without memory. */
int chain_solve(struct trace_counts *s, struct frequencies_result *r);

#endif
