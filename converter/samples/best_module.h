/* SPDX-License-Identifier: MIT */
/*
 * Which module of a recording the binary may be, where neither build-id nor name tells: the one
 * whose branches are best at home in its code. Asked for by --force only.
 */
#ifndef CONVERTER_SAMPLES_BEST_MODULE_H
#define CONVERTER_SAMPLES_BEST_MODULE_H

#include <stdint.h>

#include "converter/samples/aggregate.h"

/* The module of @recording most of whose branches (samples, where there are none) begin at a branch
 * (in the code) of @result's binary; *module = -1 if none does. 0, or -1 without memory. */
int best_module_find(const struct aggregate_result *result, struct aggregate_recording *recording,
		     int64_t *module);

#endif
