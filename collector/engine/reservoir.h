/* SPDX-License-Identifier: MIT */
/*
 * Which of more things than there is room for are kept: as many as there is room for, at random, so
 * that each one met stands the same chance, wherever in a trace it was (reservoir sampling). In
 * signal handlers.
 */
#pragma once

#include <stdint.h>

#define RESERVOIR_NOWHERE UINT32_MAX

struct reservoir {
	uint32_t most;	/* that are kept: the owner's to set */
	uint32_t count; /* kept */
	uint64_t met;	/* in this trace, the kept ones among them */
	uint64_t random;
};

/* A trace begins. */
static inline void reservoir_begin(struct reservoir *r)
{
	r->count = 0;
	r->met = 0;
}

/* xorshift64*: good enough to choose by, and without state elsewhere. */
static inline uint64_t reservoir_draw(struct reservoir *r)
{
	uint64_t x = r->random ? r->random : UINT64_C(0x9e3779b97f4a7c15);

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	r->random = x;
	return x * UINT64_C(0x2545f4914f6cdd1d) >> 32;
}

/* One more was met: where it goes, in place of what was there, or RESERVOIR_NOWHERE. */
static inline uint32_t reservoir_place(struct reservoir *r)
{
	uint64_t at = r->met++;

	if (r->count < r->most)
		return r->count++;
	at = reservoir_draw(r) % (at + 1);
	return at < r->most ? (uint32_t)at : RESERVOIR_NOWHERE;
}

/* How many of those that were met the kept one @i stands for; all together make up what was met. */
static inline uint64_t reservoir_share(const struct reservoir *r, uint32_t i)
{
	return r->met / r->count + (i < r->met % r->count);
}
