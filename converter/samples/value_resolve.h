/* SPDX-License-Identifier: MIT */
/*
 * From samples with values to the binary's value profile: those that softlbr evaluated are at their
 * sites; of registers that were sampled anywhere, a sample counts for each site that it lies in the
 * backward slice of.
 */
#ifndef CONVERTER_SAMPLES_VALUE_RESOLVE_H
#define CONVERTER_SAMPLES_VALUE_RESOLVE_H

#include "converter/samples/aggregate.h"

/* Add a recording's values to result->values; 0, or -1 without memory. */
int value_resolve_recording(struct aggregate_result *result, struct aggregate_recording *recording);

#endif
