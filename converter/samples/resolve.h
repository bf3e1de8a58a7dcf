/* SPDX-License-Identifier: MIT */
/* From a recording's counts at raw addresses to the profile of one binary. */
#pragma once

#include <stdint.h>

#include "converter/samples/aggregate.h"

/* @n times @weight; saturates. */
uint64_t resolve_weighed(uint64_t n, uint64_t weight);
/* Add what was counted to the result; the @last time it is freed meanwhile. 0, or -1 without
 * memory. */
int resolve_recording(struct aggregate_result *result, const struct aggregate_options *options,
		      struct aggregate_recording *recording, bool last);
