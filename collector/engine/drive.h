/* SPDX-License-Identifier: MIT */
/*
 * Driving the core: what both backends, the signal handler and the tracer, do with what it says,
 * and how a trace becomes records. A backend has a drive per thread and gives its operations, which
 * are all that differs.
 *
 * A traced thread is in one of these states. It runs the program in those on the right, up to a
 * breakpoint; the others it has only while it is stopped.
 *
 *	IDLE
 *	 |  sample: drive_begin
 *	 v           a branch is not resolved: set_breakpoint
 *	FOLLOWING ----------------------------------------------> AT_BREAKPOINT <---> DEFERRED
 *	 | ^ | |     hit: drive_hit, drive_resume                  |                      ^
 *	 | +-|-|---------------------------------------------------+                      |
 *	 |   | |     complete, but to be checked: set_breakpoint                          |
 *	 |   | +-----------------------------------------------> AUDITING <---------------+
 *	 |   |       hit: drive_hit, drive_resume                  |
 *	 |   |  AUDITED <------------------------------------------+
 *	 |   |   |
 *	 |   |   |   complete, and a part of it can be timed: defer_finish
 *	 |   +---|---------------------------------------------> TIMING
 *	 v       v                                                 |   the timed segment's end
 *	finish -> drive_record -> IDLE <---------------------------+
 *
 * Whatever else stops the thread ends the trace from any state. DEFERRED is from inside alone: the
 * breakpoint was hit in a signal handler of the program's, and waits where that returns.
 *
 * Runs in signal handlers: no allocation, no lock, nothing of libc's.
 */
#pragma once

#include "base/atomics.h"
#include "collector/engine/core.h"
#include "collector/engine/trace.h"
#include "collector/engine/trace_record.h"

struct drive;

enum trace_state {
	TRACE_IDLE,
	TRACE_FOLLOWING, /* look-ahead follows the path from where the thread stopped */
	TRACE_AT_BREAKPOINT,
	TRACE_AUDITING, /* the breakpoint is at the trace's predicted end */
	TRACE_AUDITED,	/* that was hit: the trace is right or wrong, by the audit */
	TRACE_DEFERRED,
	TRACE_TIMING, /* it is complete; its timed segment is run (stopwatch.h) */
};

/* What a backend does for its drives. Integers are 0 or a negative code. */
struct core_backend {
	/* Set the thread's breakpoint where @action says; false, and counted why, if it can't be.
	 * Where a thread does not pass its breakpoint (isa/host.h), the kernel lets the hits pass
	 * that are to be skipped. */
	bool (*set_breakpoint)(struct drive *d, const struct core_action *action);
	/* The trace is complete: true if it is kept for now, and finished later. May be NULL. */
	bool (*defer_finish)(struct drive *d);
	/* The trace is over, and what it holds is right or not: the breakpoint goes, right ones are
	 * recorded. */
	int (*finish)(struct drive *d, bool right);
	/* Fill in whose trace it is, when it was, and its weight, which may learn from its time. */
	void (*fill_sample)(struct drive *d, struct trace_record_sample *sample);
	/* Room for a record of @bytes, NULL without; and the record there is complete. */
	void *(*reserve)(struct drive *d, size_t bytes);
	int (*publish)(struct drive *d, void *record, size_t bytes);
};

/* A thread's. Zeroed, with its backend, it follows no trace. */
struct drive {
	enum trace_state state; /* DEFERRED and IDLE are set by the backend */
	const struct core_backend *backend;
	uint64_t *counters;	  /* the process's: enum session_counter; atomic */
	unsigned stack;		  /* most branches in one record */
	unsigned recorded;	  /* most branches of the trace that are recorded; 0: all */
	uint32_t filter;	  /* which of them are recorded */
	struct core *core;	  /* of the trace that is followed */
	struct load_times *times; /* of its loads, and its own, are recorded; NULL: they are not */
	struct stack_copy *copy;  /* of the stack where that begins; NULL: not wanted */
	bool by_time;		  /* a timer samples */
	bool armed; /* the thread has a breakpoint, of the last stop or for the next */
	uint64_t breakpoint;
	unsigned skip;		   /* hits of it to let pass */
	struct core_action behind; /* `stepping`: the breakpoint is one, and this comes behind it */
};

enum drive_hit {
	DRIVE_AWAITED,	/* go on: drive_resume */
	DRIVE_SKIPPED,	/* one before it, as foreseen: let it pass */
	DRIVE_STEPPING, /* the stepping breakpoint before it: drive_step */
	DRIVE_SPURIOUS, /* elsewhere than asked, or too late: the trace ends */
};

/* A sample; its registers are in core_state(d->core). Follow the trace, from memory @m. */
int drive_begin(struct drive *d, const struct isa_memory *m);
/* The thread stopped at its breakpoint, with its registers in core_state(d->core). @late: it has
 * run on since. */
enum drive_hit drive_hit(struct drive *d, bool late);
/* Behind DRIVE_AWAITED: the state becomes FOLLOWING, or AUDITED. */
int drive_resume(struct drive *d, const struct isa_memory *m);
/* Behind DRIVE_STEPPING: set the breakpoint that is awaited. */
int drive_step(struct drive *d);
/* Write down the trace, by the backend's finish. */
int drive_record(struct drive *d);

/* The state in which the breakpoint is awaited that the core asked for last. */
static inline enum trace_state drive_awaits(const struct drive *d)
{
	return core_audits(d->core) ? TRACE_AUDITING : TRACE_AT_BREAKPOINT;
}

static inline void drive_count(struct drive *d, unsigned counter, uint64_t n)
{
	atomic_add_relaxed(&d->counters[counter], n);
}
