/* SPDX-License-Identifier: MIT */
/* The counts of a recording by its traces instead of by its steps. */
#ifndef CONVERTER_SAMPLES_RESOLVE_TRACES_H
#define CONVERTER_SAMPLES_RESOLVE_TRACES_H

#include "converter/samples/aggregate.h"

/*
 * If its traces show that the recording is biased: add its branches and ranges to the profile as
 * they are estimated to be, and set recording->estimated. 0, or -1 without memory.
 */
int resolve_traces(struct aggregate_result *result, struct aggregate_recording *recording,
		   enum frequencies how);

#endif
