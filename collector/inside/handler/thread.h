/* SPDX-License-Identifier: MIT */
/*
 * A profiled thread of this process: its two perf events, its buffer, and the trace that is
 * followed.
 *
 * Threads live in slots of an arena, whose addresses stay good, because a late signal may still
 * carry a pointer to one. Slots are taken and returned outside handlers.
 */
#pragma once

#include <linux/perf_event.h>
#include <signal.h>

#include "base/atomics.h"
#include "collector/shared/buffer.h"
#include "collector/engine/drive.h"
#include "collector/engine/sampler.h"
#include "collector/engine/stopwatch.h"
#include "collector/inside/handler/virtual_mask.h"
#include "collector/inside/handler/workspace.h"

struct process; /* collector/inside/handler/process.h */
struct arena;	/* collector/inside/handler/arena.h */

enum thread_state {
	THREAD_FREE,
	THREAD_TAKEN,	/* reserved, no events yet */
	THREAD_WAITING, /* it may end before it is worth a clock: late_clock.c */
	THREAD_LIVE,
};

#define THREAD_NESTED_SAMPLE 1u
#define THREAD_NESTED_HIT    2u

/* Do samples come? */
enum thread_sampling {
	THREAD_SAMPLED,
	THREAD_HELD,	  /* not until the handler returns: they came in it */
	THREAD_SUSPENDED, /* not while it blocks SIGTRAP (trap_mask.h) */
};

struct thread {
	uint32_t state; /* enum thread_state; atomic */
	uint32_t tid;
	struct process *process;
	struct sampler sampler;
	int break_fd;
	int break_name; /* of the breakpoint in asynchronous signals: its first descriptor */
	uint64_t sample_id, break_id; /* the kernel's names for the events behind them */
	struct perf_event_attr break_attr;
	uint64_t begun_ns; /* CLOCK_MONOTONIC; with options.timers */
	uint64_t stops;	   /* handled */
	uint64_t waited;   /* for the sample of this trace: its period */
	uint32_t busy;	   /* in its handler; atomic */
	uint32_t nested;   /* THREAD_NESTED_*: came while it was busy */
	enum thread_sampling sampling;
	struct drive drive;	/* its breakpoint is at break_attr.bp_addr */
	struct workspace *work; /* of the trace that is followed; else NULL */
	uint32_t work_number;	/* of the last one */
	struct stopwatch stopwatch;
	uint32_t gaps;	      /* of struct trap, at the trace's last stop */
	uint64_t blocked;     /* signals, in the program, at the trace's last stop */
	unsigned in_handler;  /* hits since then in a signal handler of the program's */
	bool miscounted;      /* a hit of those that the kernel counts may count twice */
	unsigned backoff;     /* so many traces more are to be short */
	bool shared;	      /* others may write what the trace reads */
	uint64_t interval_ns; /* mean interval of samples when its sample came */
	uint64_t spent_ns;    /* in our handler, for this trace */
	uint64_t trace_ns;    /* for a trace, on average of the last ones */
	bool first;	      /* the trace was the program's first */
	bool first_paid;      /* by the interval of this thread's first sample */
	struct buffer buffer;
	/* for the start routine of a new thread (collector/inside/interpose/interpose_threads.c) */
	void *(*start)(void *);
	int (*c11_start)(void *);
	void *argument;
	uint64_t began_at;   /* of its processor time, if it waited, ns */
	bool seen;	     /* waiting, when it was looked at */
	uint64_t taken_over; /* its first sample is another thread's, of this moment; 0: its own */
	uint32_t tries;	     /* struct missed_sample */
	siginfo_t sent;	     /* life/trap_action.h; si_signo is 0: nothing */
	/* waits, while the alternate stack is of the program's making, and has no struct
	 * altstack_owner */
	struct trap_mask apart;
};

/* Give back a slot that was taken for nothing, or whose thread has ended. */
static inline void thread_give_back(struct thread *t)
{
	t->tid = 0;
	atomic_write_release(&t->state, THREAD_FREE);
}

/* Slot @i of those that were ever taken. */
struct thread *thread_slot(const struct process *p, uint32_t i);
/* The mean interval of samples: the period, or more where traces cost more than their part. */
uint64_t thread_interval_ns(const struct thread *t);
/* Are the thread that switches the recording and a linked collector's writer, as far as they are
 * there, the only other threads of the process? What the calling thread reads ahead is written by
 * nobody else then. (A process that shares the memory without being a thread is not seen.) */
bool thread_is_alone(const struct process *p);
/* The slot of thread @tid, or NULL. */
struct thread *thread_of(const struct process *p, uint32_t tid);
/* The calling thread's, or NULL. */
struct thread *thread_current(void);
/* Open the sampling event of thread t->tid, which is off, with @period (0: any); 0 or a negative
 * errno. The breakpoint's is opened when one is set first: many threads end before. */
int thread_open_events(struct thread *t, uint64_t period);
/* Close the events as they are, without touching them: they may be another process's. */
void thread_close_events(struct thread *t);
/* In its handler, where no trace is followed: a timer takes the place of the sampling event, and a
 * breakpoint's event is closed when none is set any more (sampler.h). Nothing changes where the
 * kernel gives no timer. */
void thread_use_timer(struct thread *t);
/* No samples are to come while it blocks SIGTRAP. */
void thread_note_suspended(struct thread *t);
/* Nothing is awaited any more. */
void thread_leave_breakpoint(struct thread *t);
/* In its handler: set the breakpoint of @type (linux/hw_breakpoint.h), of which the first @skip
 * hits stop nothing if a thread does not pass its breakpoint by itself (isa/host.h); take it away,
 * if there is one; switch it off, whatever it is. */
bool thread_set_breakpoint(struct thread *t, uint64_t address, uint32_t type, unsigned skip);
void thread_clear_breakpoint(struct thread *t);
/* A signal found the thread at @pc. Where that is a breakpoint whose hits the kernel counts, this
 * one may be counted already, and is once more: t->miscounted. */
void thread_note_signal(struct thread *t, uint64_t pc);
/* The same of the calling thread and a signal of the program's own, where that matters. */
void thread_note_signal_current(uint64_t pc);
void thread_disable_breakpoint(struct thread *t);
/* Is this the address of a slot? (A signal brings it.) */
bool thread_is_slot(const struct process *p, const void *address);
