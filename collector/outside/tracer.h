/* SPDX-License-Identifier: MIT */
/*
 * The tracer of the attach backend, one process, with one thread that traces:
 *
 *	tracer.c		its life: the loop, the end
 *	tracee_command.c	the command that it starts
 *	tracer_members.c	the running processes that it comes to
 *	tracer_threads.c	the traced threads: by number, and when they are sampled
 *	tracer_turns.c		those that have their clocks by turns
 *	tracer_stops.c		what happens when one stops, or ends
 *	tracer_watch.c		a thread that ends it when it waits for the program for ever
 *	tracer_trace.c		one thread's trace, from sample to record, and how long it takes
 *	tracee_processes.c	the traced processes: code, mappings, decode caches
 *
 * A thread is stopped only when it is running: by a clock of its own time and at breakpoints, both
 * perf events (tracee_events.h). Where it can have none, by PTRACE_INTERRUPT at times drawn around
 * the period, and by its debug registers. One that sleeps is never touched, not even at the end: a
 * tracee without a breakpoint goes on by itself when its tracer exits.
 */
#pragma once

#include <dirent.h>
#include <limits.h>
#include <signal.h>

#include "base/vector.h"
#include "collector/engine/core.h"
#include "collector/engine/drive.h"
#include "collector/engine/memory_reader.h"
#include "collector/engine/shared_depth.h"
#include "collector/engine/stopwatch.h"
#include "collector/outside/recording_socket.h"
#include "collector/outside/tracee.h"
#include "collector/outside/tracee_command.h"
#include "collector/outside/tracee_pages.h"
#include "collector/recorder/command.h"
#include "collector/recorder/synthesize.h"
#include "collector/recorder/recorder.h"
#include "collector/recorder/witness.h"
#include "collector/shared/restartable_file.h"

/* Decoded code. */
struct tracee_code {
	unsigned users;	   /* processes */
	bool looked;	   /* at their mappings */
	uint64_t identity; /* of these; 0: no other process may use it */
	struct decode_cache cache;
	void *memory;
};

/* A traced process. */
struct tracee_process {
	uint32_t pid;
	uint32_t task; /* a thread by which /proc tells of it: the first one may have ended */
	bool follows;  /* its children belong to it */
	unsigned threads;
	bool ours;   /* our own code before its exec */
	bool leaves; /* its program fails under ptrace: let go of it at the next stop */
	struct {
		bool all;	/* it looks for pending ones */
		bool signalfds; /* it sees those of its signalfds */
		uint64_t seen;	/* these, when it was looked at them */
		uint64_t looked_ns;
		uint64_t descriptors; /* that it had then; 0: not known (before Linux 6.2) */
	} signals;
	struct synthesize_maps maps;
	struct tracee_times times; /* what the result has of them, and what was before us */
	uint64_t maps_ns;	   /* when they were read */
	uint64_t maps_cost_ns;
	uint64_t maps_pages; /* of all then */
	int maps_file;	     /* synthesize_open_maps */
	int size_file;	     /* statm of proc(5), or -1 */
	struct tracee_pages pages;
	struct tracee_code *code;
	struct tracee_code *left; /* that it used before, or NULL */
	struct restartable restartable;
	struct shared_depth shared_depth;
	struct restartable_file *file; /* to look for what is restartable: the tracer's */
};

/* A trace that is being made. Kept for the next when it is done. */
struct tracing {
	struct core core;
	struct waypoints waypoints;
	struct rate_work path; /* of a trace that is timed: what it came to by then */
	struct site_values values;
	struct stack_copy copy;
	struct core_counters seen;
	struct tracing *next; /* among the idle ones */
};

/* How ptrace has a thread. */
enum traced_stop {
	TRACED_RUNS,
	TRACED_INTERRUPTED, /* asked to stop; the stop has not come */
	TRACED_LISTENING,   /* stopped by a signal, as the program wants */
};

/* A thread that is switched often pays for its events at each switch. So it has them only in turns,
 * drawn at random, and more samples in these (tracer_threads.c). */
struct traced_turns {
	uint32_t share;	      /* of the time in which it has events, in parts of TURNS_WHOLE */
	uint32_t opened;      /* the same when they were opened */
	bool rests;	      /* it has none now */
	bool ends;	      /* it has until its trace is done, and takes no more samples */
	uint64_t ran_ns, ran; /* by /proc/TID/schedstat, how often and for how long */
	unsigned looks;
};

#define TURNS_WHOLE 1024u
/* What an event costs a thread that is switched, about. */
#define TURNS_SWITCH_NS 1500u

/* The mean interval to sample it at in a turn, of @ns otherwise. */
static inline uint64_t traced_turns_interval_ns(const struct traced_turns *turns, uint64_t ns)
{
	return ns * turns->opened / TURNS_WHOLE;
}

/* What @ns of a turn stand for. */
static inline uint64_t traced_turns_whole_ns(const struct traced_turns *turns, uint64_t ns)
{
	return ns * TURNS_WHOLE / turns->opened;
}

/* A traced thread. */
struct traced {
	pid_t tid;
	struct tracer *tracer;
	struct tracee_process *process;
	struct tracee_events events;
	int state_file;	 /* tracee_open_state */
	unsigned masked; /* looks in which signals were blocked, ours pending */
	enum traced_stop stop;
	bool hit;		 /* its breakpoint's SIGTRAP is under way */
	enum tracee_stop taken;	 /* its signal is, and it stops for this; TRACEE_TRAPPED: none */
	uint64_t stepped_from;	 /* the kernel may be stepping over a breakpoint there; 0: no */
	bool postponed;		 /* it was sampled there, and begins its trace behind the step */
	struct tracing *tracing; /* a breakpoint is set for it */
	struct drive drive;	 /* of that */
	unsigned patience;	 /* samples or ticks that it is still waited for */
	uint64_t period;	 /* of the sample that is taken, ns */
	uint64_t begun_ns;	 /* by our processor time, when it stopped for the trace last */
	uint64_t spent_ns;	 /* for this trace at the stops before */
	struct stopwatch stopwatch;
	uint64_t interval; /* the mean of those that led to the sample that is taken, ns */
	struct traced_turns turns;
};

/* What look-ahead reads through, and what it remembers of what it read. */
struct tracer_view {
	struct memory_known known;
	struct memory_reader reader;
	uint8_t copies[MEMORY_PAGES][MEMORY_PAGE];
	struct cache_lines lines;	    /* that others may write, or of timed paths */
	struct first_touches first_touches; /* of these */
};

/* Ends a tracer that waits for a page of a program that waits for it (tracer_watch.c). */
struct tracer_watch {
	uint64_t beats; /* tracer_watch_beat */
	pid_t tracer;	/* the thread that beats */
	pid_t recorder; /* our parent */
	bool *stuck;	/* becomes true before the end */
};

struct tracer {
	bool refused; /* ptrace does not work any more: only our end lets the threads go on */
	const struct recorder_options *options;
	const struct witness *witness; /* beside a command */
	struct tracee_command *command;
	struct recorder_result *result;
	struct softlbr_error *error;
	struct perfdata_writer writer;
	struct tracer_view *view;
	struct stopwatch_costs costs;
	uint64_t trace_ns;	       /* that a trace takes, on average of the last ones */
	uint32_t share;		       /* of the time that traces may take (budget.h) */
	uint64_t begun_ns;	       /* of our processor time, when all were in */
	struct restartable_file file;  /* for all processes, one after the other */
	struct synthesize_files files; /* of all processes */
	struct executable_calls_known calls;
	VECTOR(struct traced *) threads; /* by tid, ascending */
	VECTOR(struct tracee_process *) processes;
	struct tracing *idle;
	uint64_t record[65536 / 8]; /* that is being written: its size is 16 bits */
	uint64_t period;	    /* the last drawn interval of ticks, ns */
	unsigned eventless;	    /* threads that have no events, and don't rest */
	bool sampling;		    /* switched on */
	bool no_events; /* there are none for us here, or to try for them would end us */
	size_t looked;	/* at threads so far: tracer_timer_look */
	uint64_t random;
	uint64_t checks;		 /* of traces' mappings */
	VECTOR(pid_t) refused_processes; /* that the kernel refuses to trace */
	char cgroup[PATH_MAX];		 /* the directory of the one that is selected */
	DIR *running;			 /* /proc, as far as processes were looked at */
	struct control control;
	struct recording_socket parts;
	struct tracer_watch watch;
	bool *stuck; /* tracer_watch's */
	struct convergence convergence;
	unsigned rotations;
	bool converged;	 /* was recorded for now: samples are rarer */
	bool stopping;	 /* no new traces */
	int failed;	 /* the recording can't go on */
	pid_t root;	 /* the command; 0: running processes are recorded */
	bool attended;	 /* it got as far as to be recorded */
	bool root_ended; /* or all that was recorded has */
};

static inline void tracer_count(struct tracer *t, unsigned counter, uint64_t n)
{
	t->result->counters[counter] += n;
}

/* What the recorder sends for a signal that it got: the tracer, in the same group, may get that
 * itself. */
static inline int tracer_forwarded(int number)
{
	return SIGRTMIN + number;
}

/* Trace; @recorder_end is one end of recording_socket_open's, for whom it is recorded. *stuck
 * becomes true if it ends by tracer_watch.c. */
int tracer_run(const struct recorder_options *o, const struct witness *w, struct tracee_command *c,
	       int recorder_end, bool *stuck, struct recorder_result *result,
	       struct softlbr_error *e);

/* ---- tracer_members.c ---------------------------------------------------------------------- */

/* Trace the processes that are selected, with those of their descendants that run. 0, or an error.
 */
int tracer_members_begin(struct tracer *t, struct softlbr_error *e);
/* Trace what has come to be selected since; called again and again. */
void tracer_members_look(struct tracer *t);
/* Do the children of a program that calls these belong to it? */
bool tracer_members_follow(const struct tracer *t, const struct executable_calls *calls);
/* Note that the process @pid is not recorded, and why. */
void tracer_members_exclude(struct tracer *t, pid_t pid, enum exclusion reason);
/* How many running children of those that are in are not. */
unsigned tracer_members_left_out(const struct tracer *t);
/* Why @pid can't be traced: @why, an errno, and what /proc tells. */
int tracer_members_refusal(pid_t pid, int why, struct softlbr_error *e);

/* ---- tracer_threads.c ---------------------------------------------------------------------- */

/* NULL if it is not traced. */
struct traced *tracer_threads_find(const struct tracer *t, pid_t tid);
/* A thread that is traced from now on. NULL if it is gone, or without memory. */
struct traced *tracer_threads_add(struct tracer *t, pid_t tid);
/* A thread that a tracee made, and that made itself known by stopping. */
struct traced *tracer_threads_meet(struct tracer *t, pid_t tid);
/* The signal for a thread's events, or 0: it is interrupted. */
int tracer_threads_signal(const struct tracer *t, const struct traced *thread,
			  const struct task_status *status);
void tracer_threads_close_events(struct tracer *t, struct traced *thread);
/* Open its events anew, or none. */
void tracer_threads_choose_events(struct tracer *t, struct traced *thread,
				  const struct task_status *status);
/* The thread is gone. */
void tracer_threads_end(struct tracer *t, struct traced *thread);

/* What ends the recording early; the program goes on. @rc: 0, or a negative code whose text is in
 * t->error. */
void tracer_failure_note(struct tracer *t, int rc);
/* @rc: what a call of ptrace returned. */
void tracer_failure_refused(struct tracer *t, int rc);

/* Stop the threads that are running now and have no clock. */
void tracer_timer_tick(struct tracer *t);
/* How long until the next tick, ns: around the period, at random. */
uint64_t tracer_timer_draw(struct tracer *t);

/* Now and then: see that threads have events, and that their signals still do; take turns. */
void tracer_timer_look(struct tracer *t);
/* Sampling goes on or pauses, for all threads. */
void tracer_timer_switch(struct tracer *t, bool on);

/* ---- tracer_turns.c ------------------------------------------------------------------------ */

enum tracer_turn {
	TRACER_TURN_NONE, /* it takes none */
	TRACER_TURN_GOES_ON,
	TRACER_TURN_BEGINS, /* open its events */
};

/* Draw at a look. A turn that ends waits for the trace that is under way, if there is one. */
enum tracer_turn tracer_turns_take(struct tracer *t, struct traced *thread);
/* Add to the result how often threads were switched that had events, as far as it does not have it.
 */
void tracer_turns_count(struct tracer *t);

/* ---- tracee_code.c ------------------------------------------------------------------------- */

/* A process begins with code that is its own; false without memory. It ends: none of its traces
 * uses any more. */
bool tracee_code_begin(struct tracee_process *process);
void tracee_code_end(struct tracee_process *process);
/* Its mappings are known for the first time, or have changed. 0 or SYSTEM. */
int tracee_code_mapped(struct tracer *t, struct tracee_process *process);

/* ---- tracer_stops.c ------------------------------------------------------------------------ */

/* What threads did when they stopped, or ended: all that has happened since the last call. */
void tracer_stops_reap(struct tracer *t);

/* ---- tracer_trace.c: the operations of collector/engine/drive.h ---------------------------- */

/* The thread is stopped at a sample: make a trace, or set a breakpoint for it. */
int tracer_trace_begin(struct tracer *t, struct traced *thread,
		       const struct tracee_registers *registers);
/* The thread is stopped at its breakpoint: go on with its trace. */
int tracer_trace_resume(struct tracer *t, struct traced *thread);
/* Give the trace up where it is; the breakpoint goes if @alive. */
int tracer_trace_cut(struct traced *thread, bool alive);
/* The same, should there be one: something else came before its breakpoint was hit. */
int tracer_trace_lose(struct traced *thread, bool alive);
void tracer_trace_init(struct tracer *t);
/* The mean interval of a thread's samples, ns: the period, or more where traces cost more than
 * their part of the time. */
uint64_t tracer_trace_interval_ns(const struct tracer *t);

/* ---- tracer_watch.c ------------------------------------------------------------------------ */

/* Watch the calling thread for as long as the process lives. */
int tracer_watch_start(struct tracer_watch *w, bool *stuck, struct softlbr_error *e);

/* Say that the tracer does not wait for ever. */
static inline void tracer_watch_beat(struct tracer_watch *w)
{
	__atomic_fetch_add(&w->beats, 1, __ATOMIC_RELAXED);
}

/* ---- tracee_processes.c -------------------------------------------------------------------- */

/* The process @pid, or NULL if none of its threads is traced. */
struct tracee_process *tracee_process_find(const struct tracer *t, uint32_t pid);
/* The same, made if it is not known: @task is a thread of it. NULL without memory. */
struct tracee_process *tracee_process_get(struct tracer *t, uint32_t pid, pid_t task);
/* The process runs another program now. */
int tracee_process_executed(struct tracer *t, struct tracee_process *process);
/* The thread @tid is gone; with the last one, the process is. */
void tracee_process_release(struct tracer *t, struct tracee_process *process, pid_t tid);
/* Add the times of a process, or of all, since the last call to the result; nothing of one that is
 * gone. */
void tracee_process_keep_time(struct tracer *t, struct tracee_process *process);
void tracee_processes_keep_time(struct tracer *t);
/* Its program calls these. */
void tracee_process_note_calls(struct tracee_process *process,
			       const struct executable_calls *calls);
/* The signals that it would see where they are pending. */
uint64_t tracee_process_seen_signals(struct tracee_process *process);
/* A new file begins: tell of all that is there. */
int tracee_processes_tell_again(struct tracer *t);
/* See that its mappings are recorded, at @address for sure. *replaced (may be NULL) becomes true if
 * something else was there before. */
int tracee_process_refresh(struct tracer *t, struct tracee_process *process, uint64_t address,
			   bool *replaced);
