/* SPDX-License-Identifier: MIT */
#include "collector/engine/shared_depth.h"

#include "base/atomics.h"

/* So many right ones in a row before it is tried to go twice as far: one trace in so many may be
 * lost to that. */
#define STREAK 16u

unsigned shared_depth_of(const struct shared_depth *s, unsigned whole)
{
	unsigned depth = whole >> atomic_read_relaxed(&s->halvings);

	return whole < SHARED_DEPTH_LEAST   ? whole
	       : depth < SHARED_DEPTH_LEAST ? SHARED_DEPTH_LEAST
					    : depth;
}

/* Threads that learn at once may lose a step of one of them: no matter. */
void shared_depth_learn(struct shared_depth *s, bool right, unsigned whole)
{
	uint32_t halvings = atomic_read_relaxed(&s->halvings);
	uint32_t streak = right ? atomic_read_relaxed(&s->streak) + 1 : 0;

	if (right && streak >= STREAK && halvings) {
		halvings--;
		streak = 0;
	}
	if (!right && whole >> halvings > SHARED_DEPTH_LEAST)
		halvings++;
	atomic_write_release(&s->halvings, halvings);
	atomic_write_release(&s->streak, streak);
}
