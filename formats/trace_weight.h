/* SPDX-License-Identifier: MIT */
/*
 * The weight of a trace in a recording of softlbr: how many branches it stands for, about. Its
 * lowest bit says how it was got: set if a part of the path was timed, clear if the path's time is
 * the model's. A weight is millions mostly, so the bit changes none.
 */
#ifndef FORMATS_TRACE_WEIGHT_H
#define FORMATS_TRACE_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

/* 0, not known, stays 0. */
static inline uint64_t trace_weight_mark(uint64_t weight, bool timed)
{
	if (!weight)
		return 0;
	return timed ? weight | 1 : weight < 2 ? 2 : weight & ~UINT64_C(1);
}

static inline bool trace_weight_is_timed(uint64_t weight)
{
	return weight & 1;
}

#endif
