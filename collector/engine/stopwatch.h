/* SPDX-License-Identifier: MIT */
/*
 * How long the program itself takes for a stretch of a trace's path: from one landmark to another,
 * by a breakpoint at each. What two stops in a row cost is measured as well, by a stretch of a few
 * branches before it, and subtracted. Pure logic: collector/inside/handler/timed_stretch.c sets the
 * breakpoints and reads the clocks.
 */
#ifndef COLLECTOR_ENGINE_STOPWATCH_H
#define COLLECTOR_ENGINE_STOPWATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/engine/core.h"
#include "collector/engine/landmarks.h"
#include "collector/engine/rate.h"

#define STOPWATCH_EMPTY 16u

/* Of paths that were timed, how long a branch takes by the model (x) and in the end (y): logarithms
 * to base 2 of picoseconds, in 1,024ths, and sums of these. */
struct stopwatch_trend {
	uint32_t count;
	int64_t x, y, xx, xy;
};

/* Of a process: what its last empty stretches took, and how the others differ from their model;
 * atomic, by whatever thread. */
struct stopwatch_empties {
	uint32_t count; /* that were timed */
	uint32_t pace;	/* the time that half of the stretches take more than, by their model:
			 * 1024ths;    0: not known */
	uint32_t paced; /* stretches that it learned from */
	uint32_t unused;
	struct stopwatch_trend trend;
	uint64_t ps[STOPWATCH_EMPTY];
};

enum stopwatch_stop {
	STOPWATCH_BEGIN, /* of an empty stretch, or of the one that is timed if there is none */
	STOPWATCH_FROM,	 /* its end, and where the other begins */
	STOPWATCH_TO,
	STOPWATCH_STOPS,
};

struct stopwatch {
	bool running;
	bool warmed;			     /* look-ahead left the path's lines in the caches */
	bool elsewhere;			     /* it took them to another processor */
	enum stopwatch_stop awaited;	     /* the next breakpoint */
	struct landmark at[STOPWATCH_STOPS]; /* no kind: there is none */
	uint64_t ticks, cpu_ns;		     /* at the last hit */
	uint64_t ps;			     /* that the stretch took; 0: not known */
};

/* Take over what was measured elsewhere, if that can be true; while others write. However little it
 * is: processes that live for a trace each come to enough together. */
void stopwatch_copy(struct stopwatch_empties *to, const struct stopwatch_empties *from);
/* A complete trace of @c: choose landmarks. False: there are none. */
bool stopwatch_start(struct stopwatch *w, const struct core *c);
/* The landmark whose breakpoint is awaited. */
static inline const struct landmark *stopwatch_awaits(const struct stopwatch *w)
{
	return &w->at[w->awaited];
}
/* It was hit, @wall_ps and @cpu_ns after the one before (the first one: whatever). True: the next
 * one is awaited now. */
bool stopwatch_stop(struct stopwatch *w, uint64_t wall_ps, uint64_t cpu_ns,
		    struct stopwatch_empties *e);
/* How long the whole path takes if the program runs all of it as it ran the stretch, in proportion
 * to the model of both: nothing else is made of what was measured. 0: it was not timed. */
uint64_t stopwatch_measured_ps(const struct stopwatch *w, const struct rate_work *path,
			       const struct rate_machine *m, const struct stopwatch_empties *e);
/* How long the whole path takes, by what the stretch took, the model of both, and the pace, which
 * learns from it; where it was not timed, by how paths that were depend on the model, or by the
 * model and the pace alone if too few were. */
uint64_t stopwatch_path_ps(const struct stopwatch *w, const struct rate_work *path,
			   const struct rate_machine *m, struct stopwatch_empties *e);
/* What a sample stands for that began the path, by @rates (not RATES_OFF), if samples are
 * @distance_ns apart: rate_weight. */
uint64_t stopwatch_weight(const struct stopwatch *w, const struct rate_work *path, enum rates rates,
			  const struct rate_machine *m, struct stopwatch_empties *e,
			  uint64_t distance_ns);

#endif
