/* SPDX-License-Identifier: MIT */
/*
 * Places on the predicted path with the registers that are foreseen there. A thread that is
 * interrupted later is found by them: on the path where all of them agree, and behind it where one
 * counts (a loop's index, a pointer that advances) and goes on as it did. Unlike first-touch points
 * they need no breakpoint, and a loop that comes to nothing new has them as well.
 */
#pragma once

#include "collector/engine/rate.h"
#include "isa/evaluate.h"

/* One behind each so many taken branches of a path that came to nothing new for longer: what does
 * is timed between breakpoints. */
#define WAYPOINT_BRANCHES    16u
#define WAYPOINTS_BEHIND_NEW (4 * WAYPOINT_BRANCHES)
#define WAYPOINTS_MOST	     (CORRECTION_DEPTH_MOST / WAYPOINT_BRANCHES)

/* Fewer tell nothing. */
#define WAYPOINTS_LEAST 8u
/* Words that the path wrote are compared, too: what registers do not tell, as an interpreter's
 * loops whose indices are in memory. */
#define WAYPOINT_WORDS 32u

struct waypoint {
	uint64_t pc; /* where the branch went */
	uint64_t registers[ISA_GENERAL_REGISTERS];
	struct rate_work work; /* from the trace's start up to there */
	uint32_t words;	       /* of those that were written first */
	uint64_t digest;       /* of what they held there */
};

struct waypoints {
	unsigned count;
	struct waypoint at[WAYPOINTS_MOST];
};

/* The path came behind a taken branch, which is the last of @work; not kept if a register is not
 * known. */
void waypoints_note(struct waypoints *w, const struct isa_state *s, const struct rate_work *work);
/* Are there enough to find a thread by? @w: NULL without them. */
static inline bool waypoints_suffice(const struct waypoints *w)
{
	return w && w->count >= WAYPOINTS_LEAST;
}

/* What a thread finds in the words of a path. */
struct waypoint_memory {
	const struct isa_shadow *path; /* when it was followed to its end */
	const struct isa_shadow *now;  /* what is evaluated to be written since the interrupt */
	const struct isa_memory *memory;
};

/* A thread is at @pc with @registers: *work is what it did since the trace's start. False: it is
 * not on the path, or at several places of it, and not behind it in the same loop. @memory may be
 * NULL: registers alone are compared. */
bool waypoints_find(const struct waypoints *w, uint64_t pc,
		    const uint64_t registers[ISA_GENERAL_REGISTERS],
		    const struct waypoint_memory *memory, struct rate_work *work);
