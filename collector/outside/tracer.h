/* SPDX-License-Identifier: MIT */
/*
 * The tracer of the attach backend, one single-threaded process:
 *
 *	tracer.c	its life: threads that come, stop and go; the timer; the end
 *	tracer_guests.c	the traced processes: code, mappings, decode caches
 *	tracer_trace.c	one thread's trace, from sample to record
 *
 * A thread is stopped only when it is running, by PTRACE_INTERRUPT at times drawn around the
 * period, and at breakpoints. One that sleeps is never touched, not even at the end: a tracee
 * without a breakpoint goes on by itself when its tracer exits.
 */
#ifndef COLLECTOR_OUTSIDE_TRACER_H
#define COLLECTOR_OUTSIDE_TRACER_H

#include <signal.h>

#include "base/vector.h"
#include "collector/core/core.h"
#include "collector/session/memory_reader.h"
#include "collector/outside/part_socket.h"
#include "collector/recorder/recorder.h"
#include "collector/session/procfs.h"
#include "collector/session/restartable_file.h"
#include "collector/outside/tracee.h"

/* A traced process. */
struct tracee_process {
	uint32_t pid;
	unsigned threads;
	bool ours; /* our own code before its exec */
	struct tasks_maps maps;
	uint64_t maps_ns; /* when they were read */
	uint64_t maps_cost_ns;
	int maps_file; /* procfs_open_maps */
	struct decode_cache cache;
	void *cache_memory;
	struct restartable restartable;
	struct restartable_file *file; /* to look for what is restartable: the tracer's */
};

/* A trace that is being made. Kept for the next when it is done. */
struct tracing {
	struct core core;
	struct core_counters seen;
	struct tracing *next; /* among the idle ones */
};

/* A traced thread. */
struct traced {
	pid_t tid;
	struct tracee_process *guest;
	int state_file;		 /* tracee_open_state */
	bool interrupted;	 /* asked to stop; the stop has not come */
	bool listening;		 /* stopped by a signal, as the program wants */
	bool hit;		 /* its breakpoint's SIGTRAP is under way */
	struct tracing *tracing; /* a breakpoint is set for it */
	uint64_t breakpoint;
	unsigned skip, patience;
};

struct tracer {
	void (*on_file_limit)(int); /* what a command is to inherit for SIGXFSZ */
	bool refused; /* ptrace does not work any more: only our end lets the threads go on */
	const struct recorder_options *options;
	struct recorder_result *result;
	struct softlbr_error *error;
	struct perfdata_writer writer;
	struct memory_reader *reader;
	struct memory_known known;
	struct restartable_file file;	 /* for all processes, one after the other */
	VECTOR(struct traced *) threads; /* by tid, ascending */
	VECTOR(struct tracee_process *) guests;
	struct tracing *idle;
	uint64_t period; /* the last drawn distance, ns */
	uint64_t waited; /* since the last tick, ns */
	uint64_t random;
	uint64_t checks; /* of traces' mappings */
	struct control steering;
	struct part_socket parts;
	unsigned rotations;
	bool stopping; /* no new traces */
	int failed;    /* the recording can't go on */
	pid_t root;    /* what the recording is of */
	bool root_ended;
};

static inline void tracer_count(struct tracer *t, unsigned counter, uint64_t n)
{
	t->result->counters[counter] += n;
}

/* Trace; @taker is one end of part_socket_open's, for whom it is recorded. @mask: the command's
 * signals.
 */
int tracer_run(const struct recorder_options *o, int taker, const sigset_t *mask,
	       struct recorder_result *result, struct softlbr_error *e);

/* ---- tracer_guests.c ----------------------------------------------------------------------- */

/* The guest @pid, made if it is not known; NULL without memory. */
struct tracee_process *tracee_process_get(struct tracer *t, uint32_t pid);
/* It runs another program now. */
int tracee_process_executed(struct tracer *t, struct tracee_process *g);
/* A thread is gone; with the last one, the guest is. */
void tracee_process_release(struct tracer *t, struct tracee_process *g);
/* A new file begins: tell of all that is there. */
int tracee_processes_tell_again(struct tracer *t);
/* See that its mappings are recorded, at @address for sure. *replaced (may be NULL) becomes true if
 * something else was there before. */
int tracee_process_refresh(struct tracer *t, struct tracee_process *g, uint64_t address,
			   bool *replaced);

/* ---- tracer_trace.c ------------------------------------------------------------------------ */

/* The thread is stopped at a sample: make a trace, or set a breakpoint for it. */
int tracer_trace_begin(struct tracer *t, struct traced *thread, const struct user_regs_struct *g);
/* It is stopped at its breakpoint. */
int tracer_trace_resume(struct tracer *t, struct traced *thread);
/* Give the trace up where it is; the breakpoint goes if @alive. */
int tracer_trace_cut(struct tracer *t, struct traced *thread, bool alive);
void tracer_trace_deinit(struct tracer *t);

#endif
