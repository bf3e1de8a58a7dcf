/* SPDX-License-Identifier: MIT */
/* How long stops took, by a histogram with four places for each power of two of a nanosecond: a
 * share of them took no longer than what is found within a quarter. */
#pragma once

#include <math.h>
#include <stdint.h>

#define STOP_TIMES_PLACES 160u
#define STOP_TIMES_FIRST  8u /* of 4 ns; what is shorter is there, too */

struct stop_times {
	uint64_t all;
	uint32_t counts[STOP_TIMES_PLACES];
};

static inline unsigned stop_times_place(uint64_t ns)
{
	unsigned power = ns < 4 ? 2 : 63 - (unsigned)__builtin_clzll(ns);
	unsigned place = 4 * power + (unsigned)(ns >> (power - 2) & 3);

	return place < STOP_TIMES_PLACES ? place : STOP_TIMES_PLACES - 1;
}

static inline void stop_times_add(struct stop_times *t, uint64_t ns)
{
	t->all++;
	t->counts[stop_times_place(ns)]++;
}

/* What @share of the stops took at most, in microseconds; NaN if there were none. */
static inline double stop_times_us(const struct stop_times *t, double share)
{
	uint64_t wanted = (uint64_t)(share * (double)t->all), seen = 0;

	for (unsigned i = STOP_TIMES_FIRST; i < STOP_TIMES_PLACES; i++) {
		seen += t->counts[i];
		if (t->all && seen > wanted) /* the end of the place */
			return (double)((UINT64_C(5) + i % 4) << (i / 4 - 2)) / 1e3;
	}
	return NAN;
}
