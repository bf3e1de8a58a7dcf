/* SPDX-License-Identifier: MIT */
/* The counts of a recording by its traces instead of by its steps. */
#ifndef CONVERTER_SAMPLES_RESOLVE_TRACES_H
#define CONVERTER_SAMPLES_RESOLVE_TRACES_H

#include "converter/samples/aggregate.h"

/*
 * If the traces of @h show that the recording is biased: add its branches and ranges to the profile
 * as they are estimated to be, and set a->estimated. 0, or -1 without memory.
 */
int resolve_traces(struct aggregate *a, struct address_history *h);

#endif
