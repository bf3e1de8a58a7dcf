/* SPDX-License-Identifier: MIT */
/*
 * The perf events that a tracer opens on a thread it traces, instead of interrupting it and writing
 * to its debug registers: a clock for its samples, and a breakpoint.
 *
 * A clock that counts user code only stops the thread in user code only, so that no system call is
 * ever interrupted. And the kernel closes what a process has open before it lets go of what it
 * traces (kernel/exit.c, do_exit): a tracer that is killed leaves no breakpoint behind.
 *
 * Both announce themselves by a signal, which stops the thread at once and which its tracer takes
 * away (ptrace(2), signal-delivery-stop). One that is under way when the tracer is killed reaches
 * the program: so it is one that is ignored by default, and that the program has no handler for. If
 * it has, a signal of the program's own could come while ours is pending, and standard signals do
 * not queue.
 *
 * A program that looks for pending signals finds it where a thread blocks it. Such a program gets
 * one of libc's own two instead, which libc puts into nobody's set, and which queues. A command
 * that we start ignores it from before its exec. From the first pthread_create on libc handles it,
 * and passes over ours. To another program it is deadly, and none may be under way but for a
 * moment. Which signals a program reads by signalfds is known (/proc/PID/fdinfo): mostly SIGURG, so
 * that SIGWINCH, which is ignored by default, too, is none of them.
 */
#pragma once

#include <signal.h>

#include "collector/engine/stopwatch.h"
#include "collector/kernel/event.h"
#include "collector/engine/sampler.h"

/* A thread's. */
struct tracee_events {
	int signal;		  /* that announces them; 0: it has none, and must be interrupted */
	int before;		  /* of closed ones, which may be under way; or 0 */
	bool deadly;		  /* it, or that of closed ones, would end the program */
	int clock, breakpoint;	  /* descriptors, or -1 */
	unsigned skip;		  /* hits that the breakpoint lets pass */
	int places[STOPWATCH_TO]; /* that are timed before the breakpoint, or -1 */
	struct sampler sampler;
	uint64_t waited;  /* of the clock, for the sample that is taken */
	uint64_t counted; /* of the clock, when it was looked at */
};

enum tracee_events_kind {
	TRACEE_EVENTS_NONE, /* the program's own signal */
	TRACEE_EVENTS_CLOCK,
	TRACEE_EVENTS_BREAKPOINT,
	TRACEE_EVENTS_OLD, /* of one that is closed by now */
};

/* The signal to use for a thread, or 0 if there is none. @masked: it blocks all signals for
 * longer than libc does, which lets them through in a moment. @seen: those that the program would
 * see where they are pending. */
int tracee_events_signal(const struct task_status *s, bool masked, uint64_t seen);
/* To be called in a process that is to become a traced command. */
void tracee_events_ignore(void);
/*
 * Let a traced thread be sampled by a clock like @event at mean intervals of @period, from now or
 * from when it is switched on. 0, or a negative errno; tracee_events_close is fine after that, and
 * after zeroing.
 */
int tracee_events_open(struct tracee_events *v, pid_t tid, int number, const struct event *event,
		       uint64_t period, uint64_t seed, bool on);
void tracee_events_close(struct tracee_events *v);
void tracee_events_switch(struct tracee_events *v, bool on);
/* What the signal means with which a thread stopped. */
enum tracee_events_kind tracee_events_kind(const struct tracee_events *v, const siginfo_t *info);
/* Has the thread run for a while since this was true last? */
bool tracee_events_have_run(struct tracee_events *v);

/* For a stopped thread. A breakpoint is one of a few that the program may want itself, so it is
 * kept no longer than for a trace. Its first @skip hits stop nothing. */
int tracee_events_break_at(struct tracee_events *v, pid_t tid, uint64_t address, unsigned skip);
void tracee_events_unbreak(struct tracee_events *v);

/*
 * The same, but at the first-touch points @at, without those of no kind: only the last one's
 * breakpoint stops the thread. Each ends at its first hit, and for how long it was enabled is the
 * thread's time from now to there: nothing runs in between but the program.
 */
int tracee_events_time(struct tracee_events *v, pid_t tid,
		       const struct first_touch at[STOPWATCH_STOPS]);
/* The same, without first-touch points: the thread is stopped by the clock in @ns of its time, and
 * comes to STOPWATCH_TO. */
int tracee_events_interrupt(struct tracee_events *v, pid_t tid, const struct event *clock,
			    uint64_t ns);
/* Was the first-touch point number @i come to? *ns: when. */
bool tracee_events_came_to(struct tracee_events *v, unsigned i, uint64_t *ns);
