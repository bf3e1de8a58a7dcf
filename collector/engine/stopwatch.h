/* SPDX-License-Identifier: MIT */
/*
 * How long the program itself takes for a segment of a trace's path: from one first-touch point to
 * another, by a breakpoint at each. What two stops in a row cost is measured as well, by two
 * breakpoints a few branches apart before it, and subtracted. Pure logic:
 * collector/inside/handler/timed_segment.c sets the breakpoints and reads the clocks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/engine/core.h"
#include "collector/engine/first_touch.h"
#include "collector/engine/rate.h"

/* Stop costs that are kept. */
#define STOPWATCH_STOP_COSTS 16u
/* Two stops take microseconds, and so does an interrupt. */
#define STOPWATCH_STOP_MOST_PS UINT64_C(1000000000)
/* Behind a path with no segment to time, the thread is interrupted: the kernel's clocks tick no
 * faster than each 10 us, and an interrupt takes as long again on a virtual machine. */
#define STOPWATCH_INTERRUPT_NS 40000u
/* So many times as long for the second one. */
#define STOPWATCH_INTERRUPT_MORE 3u
/* The same from outside, where a tracer stops the thread. */
#define STOPWATCH_INTERRUPT_OUTSIDE_NS 80000u

/* What a process measured: the cost of its last stops and interrupts, and what causes of time cost;
 * atomic, by whatever thread. Another process's is checked before it is used (shared/trusted.h). */
struct stopwatch_costs {
	uint32_t count;	     /* of stop costs, ever */
	uint32_t interrupts; /* of interrupts' costs, ever */
	struct rate_fit fit;
	uint64_t ps[STOPWATCH_STOP_COSTS];
	uint64_t interrupt_ps[STOPWATCH_STOP_COSTS];
};

enum stopwatch_stop {
	STOPWATCH_BEGIN, /* two stops in a row begin, or the segment that is timed if there are none
			  */
	STOPWATCH_FROM,	 /* the second stop, where the segment begins */
	STOPWATCH_TO,
	STOPWATCH_STOPS,
};

struct stopwatch {
	bool warmed;				/* look-ahead left the path's lines in the caches */
	bool elsewhere;				/* it took them to another processor */
	enum stopwatch_stop awaited;		/* the next breakpoint */
	struct first_touch at[STOPWATCH_STOPS]; /* no kind: there is none */
	uint64_t ticks, cpu_ns;			/* at the last hit */
	uint64_t ps;				/* that the segment took; 0: not known */
	bool interrupted;			/* there is none: the thread is interrupted */
	struct rate_work ran; /* by then, since the trace's start; no branches: not yet */
};

/* A complete trace of @c: choose first-touch points. False: there are none. */
bool stopwatch_start(struct stopwatch *w, const struct core *c);
/* The first-touch point whose breakpoint is awaited. */
static inline const struct first_touch *stopwatch_awaits(const struct stopwatch *w)
{
	return &w->at[w->awaited];
}
/* The awaited breakpoint was hit, @wall_ps and @cpu_ns after the one before (the first one:
 * whatever). True: the next one is awaited now. */
bool stopwatch_stop(struct stopwatch *w, uint64_t wall_ps, uint64_t cpu_ns,
		    struct stopwatch_costs *e);
/* Where on its path, or behind it, is a thread (waypoints.h)? It was interrupted, with its
 * registers in core_state(@c), after it had run on from a trace that is complete: follow it from
 * there to where it is found. The trace stays as it is, and @m's reads are not of its path. */
bool stopwatch_locate(struct core *c, const struct isa_memory *m, struct rate_work *work);
/* The thread was interrupted @wall_ps and @cpu_ns after it had been let go, when it had done @ran
 * since the trace's start. True: it is to be interrupted once more, after more time: what runs
 * on at the same rate tells by that what an interrupt costs, which is asked for now and then. */
bool stopwatch_interrupt(struct stopwatch *w, const struct rate_work *ran, uint64_t wall_ps,
			 uint64_t cpu_ns, struct stopwatch_costs *e);
/* How long the whole path takes if the program runs all of it as it ran the segment, in proportion
 * to the model of both: nothing else is made of what was measured. 0: it was not timed. */
uint64_t stopwatch_measured_ps(const struct stopwatch *w, const struct rate_work *path,
			       const struct rate_machine *m, const struct stopwatch_costs *e);
/* How long the whole path takes, by what the segment took and by the fit, which learns from it; by
 * the fit alone where it was not timed. */
uint64_t stopwatch_path_ps(const struct stopwatch *w, const struct rate_work *path,
			   const struct rate_machine *m, struct stopwatch_costs *e);
/* What a sample stands for that began the path, by @correction (not CORRECTION_OFF), if samples are
 * @interval_ns apart: rate_weight. */
uint64_t stopwatch_weight(const struct stopwatch *w, const struct rate_work *path,
			  enum timer_correction correction, const struct rate_machine *m,
			  struct stopwatch_costs *e, uint64_t interval_ns);
