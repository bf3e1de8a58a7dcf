/* SPDX-License-Identifier: MIT */
/* What a round's flows say of calls between functions: how often each is called, and entered. */
#ifndef CONVERTER_GCC_COUNTERS_ROUND_CALLS_H
#define CONVERTER_GCC_COUNTERS_ROUND_CALLS_H

#include "converter/gcc/counters/rounds.h"

/* Of all functions, for the next round. 0, or -1 without memory. */
int round_calls_count(struct rounds *r);
/* The key of rounds.forced. */
static inline uint64_t round_calls_key(uint32_t function, uint32_t context)
{
	return (uint64_t)function << 32 | context;
}

#endif
