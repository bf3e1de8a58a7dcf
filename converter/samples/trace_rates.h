/* SPDX-License-Identifier: MIT */
/* How much each trace counts by how fast the program ran there (docs/frequencies.md). */
#ifndef CONVERTER_SAMPLES_TRACE_RATES_H
#define CONVERTER_SAMPLES_TRACE_RATES_H

#include "converter/samples/trace_counts.h"

/* Make s->rates, if rates are known, of what is counted by source; 0, or -1 without memory. */
int trace_rates_take(struct trace_counts *s);

#endif
