/* SPDX-License-Identifier: MIT */
/* How far the chain is believed, by what it changes and what chance would. */
#ifndef CONVERTER_SAMPLES_BELIEF_H
#define CONVERTER_SAMPLES_BELIEF_H

#include "converter/samples/trace_counts.h"

/* r->belief, 0 to 1; 0, or -1 without memory. */
int belief_find(struct trace_counts *s, struct frequencies_result *r);
/* The rest is as recorded. */
void belief_mix(struct trace_counts *s, struct frequencies_result *r);

#endif
