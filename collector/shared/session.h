/* SPDX-License-Identifier: MIT */
/*
 * A recording session: a directory of small files in memory that the recorder and the profiled
 * processes share.
 *
 *	DIR/control	what to do: options and state; written by the recorder, read by processes,
 *			never read back
 *	DIR/PID.N	one process's trace buffers: header, then chunks
 *	DIR/excluded	struct exclusions: of programs that were not entered, and so have no file
 *
 *	+----------------+---------+---------+-----
 *	| process_header | chunk 0 | chunk 1 | ...	   chunk = chunk_header + perf.data records
 *	+----------------+---------+---------+-----
 *
 * A thread owns one chunk and appends finished perf.data records to it; the recorder reads what is
 * published, also of a chunk in use, and also after the process died: nothing is lost with it.
 * Chunk states: FREE -(thread)-> OWNED -(thread)-> FULL -(recorder)-> FREE.
 */
#pragma once

#include "base/atomics.h"
#include "collector/engine/budget.h"
#include "collector/engine/counters.h"
#include "collector/kernel/event.h"
#include "collector/shared/exclusion.h"
#include "collector/engine/rate.h"
#include "collector/engine/stopwatch.h"
#include "formats/perfdata_write.h"
#include "isa/host.h"
#include "softlbr/error.h"

#define SESSION_ENVIRONMENT "SOFTLBR_SESSION"
#define SESSION_MAGIC	    0x0e72626c74666f73u /* "softlbr", layout 14 */
#define SESSION_PAGE	    4096u
#define SESSION_EXCLUDED    "excluded"
/* Taken branches per trace by default where an event of the PMU samples: any length does. */
#define SESSION_DEPTH_EVENT 16u
/* Most branches in one record, by default: `perf report --branch-history` skips longer stacks
 * (PERF_MAX_BRANCH_DEPTH, tools/perf/util/branch.h). */
#define SESSION_STACK 127u

enum session_state {
	SESSION_WAIT, /* not now: --delay, or switched off */
	SESSION_RUN,
	SESSION_STOP,
};

/* Plain data: it is shared between processes. */
struct session_options {
	struct event event;
	uint64_t period;
	uint32_t depth;
	uint32_t depth_auto; /* the depth was chosen by calibration */
	uint32_t depth_most; /* of traces that nothing stops before; 0: the depth */
	uint32_t recorded;   /* the first so many branches of a trace, whose weight is by all of
			      * them; 0: all */
	uint32_t stack;	     /* most branches in one record, 2 to PERFDATA_SAMPLE_BRANCHES_MAX; 0:
			      * SESSION_STACK */
	uint32_t lookahead;  /* enum core_lookahead */
	uint32_t memory;     /* enum memory_reader_mode */
	uint32_t audit;	     /* check the end of one trace in so many; 0 = none */
	uint32_t chunk_bytes;
	uint32_t chunk_count;
	uint32_t switched;     /* it is switched on and off: collector/inside/life/process_life.c */
	uint32_t correction;   /* enum timer_correction */
	uint32_t budget;       /* of all that recording costs (budget.h); 0: none */
	uint32_t budget_asked; /* the user's: what calls and starts take is not for traces */
	uint32_t values;       /* most values of sites in a trace (docs/values.md); 0: none */
	uint32_t stack_copy; /* most bytes of the stack that are copied with a trace, a multiple of
			      * 8, up to PERFDATA_STACK_BYTES_MAX; 0: none */
	uint32_t times;	     /* most loads of a trace whose times are recorded, beside its own; 0:
			      * no times are recorded */
	uint32_t branches;   /* which are recorded: trace_filter_sample_type; 0: all */
	uint32_t filters;    /* seccomp filters that the recorder is under */
	uint32_t timers;     /* threads that are switched often are sampled by timers (sampler.h) */
	struct rate_machine machine;
};

/* The longest trace. */
static inline uint32_t session_depth_most(const struct session_options *o)
{
	return o->depth_most > o->depth ? o->depth_most : o->depth;
}

/* The most branches of a trace that are recorded. */
static inline uint32_t session_recorded_most(const struct session_options *o)
{
	return o->recorded ? o->recorded : session_depth_most(o);
}

/* Is more than traces recorded? */
static inline bool session_is_tagged(const struct session_options *o)
{
	return o->values || o->stack_copy || o->times;
}

/* The longest record of a copied stack; 0 without. */
static inline size_t session_stack_record_bytes(const struct session_options *o)
{
	return o->stack_copy ? perfdata_stack_record_bytes(ISA_HOST_UNWIND_REGISTERS, o->stack_copy)
			     : 0;
}

/* What one process measured is where the next one begins: some live for a few traces. */
struct session_costs {
	struct stopwatch_costs stops;
	uint64_t trace_ns; /* on average; atomic; 0: not known */
	/* The first trace of a program, for which nothing is decoded and no memory was touched: of
	 * a process's own, or on average of those so far; atomic; 0: not known. */
	uint64_t first_ns;
	uint32_t lag; /* of its samples (budget.h); atomic; 0: not known */
	uint32_t unused;
};

struct session_control {
	uint64_t magic;
	uint32_t state;	  /* enum session_state; atomic */
	uint32_t changes; /* of the state; atomic, a futex */
	struct session_options options;
	/* Held by the recorder's thread as long as it lives; the kernel marks it when that ends
	 * without a word (trusted_is_orphaned): no one reads the buffers any more. */
	uint32_t alive;
	uint32_t converged;	    /* was recorded for now: samples are rarer; atomic */
	struct session_costs costs; /* of the processes so far */
};

struct process_header {
	uint64_t magic;
	uint32_t pid;
	uint32_t chunk_bytes;
	uint32_t chunk_count;  /* that the process made; atomic */
	uint32_t chunks_given; /* that have memory, by the recorder; atomic, its alone */
	int32_t refused;       /* errno of the first event that could not be opened; atomic */
	uint32_t chunks_taken; /* so far; atomic */
	uint64_t counters[COUNTER_COUNT];
	struct session_costs costs;
	struct exclusions exclusions;
	uint32_t populates; /* gives chunks memory itself, as they are needed */
	/* For another process of the session that is about to trace this one by ptrace
	 * (collector/inside/life/sandboxing.c); the last for the recorder as well, which sees
	 * tracers of other sessions (recorder.c): */
	uint64_t handler_state; /* where this one has it */
	uint32_t traced;	/* it has come: nothing is to stop here any more; atomic */
};

_Static_assert(sizeof(struct session_control) <= SESSION_PAGE, "the control file is a page");
_Static_assert(sizeof(struct process_header) <= SESSION_PAGE, "chunks begin behind a page");

enum chunk_state { CHUNK_FREE, CHUNK_OWNED, CHUNK_FULL };

struct chunk_header {
	uint32_t state; /* enum chunk_state; atomic */
	uint32_t used;	/* bytes of records; atomic, written by the owner */
	uint32_t reserved;
	uint32_t number; /* of its taking: a thread's chunks follow each other by it */
	uint8_t records[];
};

/* A process's file, mapped. */
struct session_file {
	struct process_header *header;
	size_t bytes;
	uint32_t chunk_bytes; /* of the options: the header may be anything, by a stray write */
};

static inline struct chunk_header *session_chunk(const struct session_file *f, uint32_t i)
{
	return (void *)((char *)f->header + SESSION_PAGE + (size_t)i * f->chunk_bytes);
}

static inline size_t session_file_bytes(uint32_t chunk_bytes, uint32_t chunk_count)
{
	return SESSION_PAGE + (size_t)chunk_bytes * chunk_count;
}

/* Most chunks that a file ever has, if no more are asked for: two for each of 2,048 threads, and
 * more.
 */
#define SESSION_CHUNKS_MOST 8192u

/* How many have memory. */
static inline uint32_t session_count_chunks(const struct process_header *h)
{
	/* acquires the release in session_raise_chunks; the recorder's are made before they are
	 * told of by a system call */
	uint32_t made = atomic_read_acquire(&h->chunk_count);
	uint32_t given = atomic_read_acquire(&h->chunks_given);

	return made > given ? made : given;
}

/* The process: @count chunks have memory. */
static inline void session_raise_chunks(struct process_header *h, uint32_t count)
{
	uint32_t now;

	/* acquired in session_count_chunks */
	while ((now = atomic_read_relaxed(&h->chunk_count)) < count &&
	       !atomic_swap_if(&h->chunk_count, now, count))
		;
}

/* Buffers of the asked size, else 16 KiB, as in the paper; more to hold two records of the longest
 * stack, and half of the longest trace: 128 of them are 64 traces between two looks of the
 * recorder. What else is recorded of a trace has room as well. */
static inline void session_fit_buffers(struct session_options *o)
{
	uint32_t depth = o->recorded ? o->recorded : o->depth;
	size_t record, room, least;

	if (!o->stack)
		o->stack = SESSION_STACK;
	if (o->stack > PERFDATA_SAMPLE_BRANCHES_MAX)
		o->stack = PERFDATA_SAMPLE_BRANCHES_MAX;
	if (o->stack > session_recorded_most(o))
		o->stack = session_recorded_most(o);
	record = perfdata_trace_bytes(o->stack, session_is_tagged(o));
	room = o->stack && depth / o->stack > 4 ? depth / o->stack / 2 * record : 2 * record;
	room += (o->values + o->times + 1) * sizeof(struct perfdata_value) +
		session_stack_record_bytes(o);
	least = o->chunk_bytes ? o->chunk_bytes : 16384;
	if (least < room + sizeof(struct chunk_header))
		least = room + sizeof(struct chunk_header);
	for (o->chunk_bytes = SESSION_PAGE; o->chunk_bytes < least;)
		o->chunk_bytes *= 2;
}
