/* SPDX-License-Identifier: MIT */
/*
 * Driving the core: what both backends, the signal handler and the tracer, do with what it says,
 * and how a trace becomes records. A backend has a drive per thread and gives its operations, which
 * are all that differs.
 *
 *	sample -----> drive_begin -+-> set_breakpoint ... hit -> drive_hit -> drive_resume -+
 *	                           |        ^                                               |
 *	                           |        +-----------------------------------------------+
 *	                           +-> defer_finish, finish -> drive_record
 *
 * Runs in signal handlers: no allocation, no lock, nothing of libc's.
 */
#ifndef COLLECTOR_ENGINE_DRIVE_H
#define COLLECTOR_ENGINE_DRIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomics.h"
#include "collector/engine/core.h"
#include "collector/engine/trace_filter.h"
#include "collector/engine/trace_record.h"

struct drive;

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
	const struct core_backend *backend;
	uint64_t *counters;	  /* the process's: enum session_counter; atomic */
	unsigned stack;		  /* most branches in one record */
	enum trace_filter filter; /* which of them are recorded */
	struct core *core;	  /* of the trace that is followed */
	struct load_times *times; /* of its loads, and its own, are recorded; NULL: they are not */
	struct stack_copy *copy;  /* of the stack where that begins; NULL: not wanted */
	bool by_time;		  /* a timer samples */
	bool armed;		  /* a breakpoint is set */
	uint64_t breakpoint;
	unsigned skip;		   /* hits of it to let pass */
	struct core_action behind; /* `stone`: the breakpoint is one, and this comes behind it */
};

enum drive_hit {
	DRIVE_AWAITED,	/* go on: drive_resume */
	DRIVE_SKIPPED,	/* one before it, as foreseen: let it pass */
	DRIVE_STONE,	/* the stepping stone before it: drive_step */
	DRIVE_SPURIOUS, /* elsewhere than asked, or too late: the trace ends */
};

/* A sample; its registers are in core_state(d->core). Follow the trace, from memory @m. */
int drive_begin(struct drive *d, const struct isa_memory *m);
/* The thread stopped at its breakpoint, with its registers in core_state(d->core). @late: it has
 * run on since. */
enum drive_hit drive_hit(struct drive *d, bool late);
/* Behind DRIVE_AWAITED. */
int drive_resume(struct drive *d, const struct isa_memory *m);
/* Behind DRIVE_STONE: set the breakpoint that is awaited. */
int drive_step(struct drive *d);
/* Write down the trace, by the backend's finish. */
int drive_record(struct drive *d);

static inline void drive_count(struct drive *d, unsigned counter, uint64_t n)
{
	atomic_add_relaxed(&d->counters[counter], n);
}

#endif
