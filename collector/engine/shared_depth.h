/* SPDX-License-Identifier: MIT */
/*
 * How far look-ahead goes in a process of several threads. What they write meanwhile it can't
 * foresee; how often that matters depends on the program, and is seen where an audit finds a thread
 * elsewhere than it was claimed to be, or where what was read has changed already. Such a trace is
 * dropped, and the next ones are shorter, until many in a row were right.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/atomics.h"

/* Taken branches of the shortest traces, where threads write what others are about to read. */
#define SHARED_DEPTH_LEAST 64u
/* So many right ones in a row before it is tried to go twice as far: one trace in so many may be
 * lost to that. */
#define SHARED_DEPTH_STREAK 16u

/* What a process learnt; atomic. Zeroed, it goes as deep as anywhere. */
struct shared_depth {
	uint32_t halvings;
	uint32_t streak; /* traces that were right since it last changed */
};

/* Taken branches of a trace, where @whole are wanted. */
static inline unsigned shared_depth_of(const struct shared_depth *s, unsigned whole)
{
	unsigned depth = whole >> atomic_read_relaxed(&s->halvings);

	return whole < SHARED_DEPTH_LEAST   ? whole
	       : depth < SHARED_DEPTH_LEAST ? SHARED_DEPTH_LEAST
					    : depth;
}

/* A trace of @whole, or fewer, was found @right or not. Threads that learn at once may lose a step
 * of one of them: no matter. */
static inline void shared_depth_learn(struct shared_depth *s, bool right, unsigned whole)
{
	uint32_t halvings = atomic_read_relaxed(&s->halvings);
	uint32_t streak = right ? atomic_read_relaxed(&s->streak) + 1 : 0;

	if (right && streak >= SHARED_DEPTH_STREAK && halvings) {
		halvings--;
		streak = 0;
	}
	if (!right && whole >> halvings > SHARED_DEPTH_LEAST)
		halvings++;
	atomic_write_release(&s->halvings, halvings);
	atomic_write_release(&s->streak, streak);
}
