/* SPDX-License-Identifier: MIT */
/*
 * One thread of another process under ptrace(2): its stops, registers, and going on as if nothing
 * had happened.
 *
 * All calls are for the thread that seized it, and but for tracee_seize and tracee_interrupt for a
 * tracee that is stopped. -ESRCH: it is gone, or was killed in this moment.
 */
#pragma once

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/types.h>

#include "collector/kernel/task_status.h"
#include "collector/outside/tracee_events.h"
#include "isa/evaluate.h"

/* 0, or -ESRCH if there is no such thread. */
static inline int tracee_status_read(pid_t tid, struct task_status *s)
{
	task_status_of((uint32_t)tid, s);
	return s->process ? 0 : -ESRCH;
}

/* The processor time of a process with all its threads. */
struct tracee_times {
	uint64_t cpu_ns;
	uint64_t user_ticks, system_ticks; /* of that, as times(2) has it */
};

/* The signals that the process can read by its descriptors (signalfd(2)); all if that is not known.
 */
uint64_t tracee_status_signalfds(uint32_t pid);
/* For how long the process has been there, ns; 0 if it is not. */
uint64_t tracee_status_age_ns(uint32_t pid);
/* For how long the thread has run, and how often it came to run. False where that is not told
 * (CONFIG_SCHED_INFO). */
bool tracee_status_ran(pid_t tid, uint64_t *ns, uint64_t *times);
/* False if there is no such process. */
bool tracee_status_times(uint32_t pid, struct tracee_times *out);

static inline uint64_t tracee_status_signal(int number)
{
	return 1ull << (number - 1);
}

/* The signals that wait for it. */
static inline uint64_t tracee_status_pending(const struct task_status *s)
{
	return s->pending | s->pending_of_process;
}

#define TRACEE_STATUS_LIBC (UINT64_C(3) << 31) /* SIGCANCEL and SIGSETXID */

/* One of libc's own two signals is blocked. Libc does that with all of them where it makes a
 * thread, for a moment, and lets no program do it; but one may call the kernel itself. */
static inline bool tracee_status_is_masked(const struct task_status *s)
{
	return s->blocked & TRACEE_STATUS_LIBC;
}

/* Is it there only for its parent to ask for its status, or no more? */
static inline bool tracee_status_has_ended(const struct task_status *s)
{
	return s->state == 'Z' || s->state == 'X';
}

/* Does the process ignore a signal? As it does by default with some. */
static inline bool tracee_status_ignores(const struct task_status *s, int number)
{
	uint64_t by_default = tracee_status_signal(SIGCHLD) | tracee_status_signal(SIGCONT) |
			      tracee_status_signal(SIGURG) | tracee_status_signal(SIGWINCH);

	return tracee_status_signal(number) & (s->ignored | (by_default & ~s->caught));
}

/* ptrace(2): 0, or a negative errno. */
static inline int tracee_request(enum __ptrace_request request, pid_t tid, uintptr_t address,
				 uintptr_t data)
{
	return ptrace(request, tid, (void *)address, (void *)data) < 0 ? -errno : 0;
}

/* Why a tracee stopped. */
enum tracee_stop {
	TRACEE_TRAPPED,	   /* for us: interrupted, or it is new */
	TRACEE_SAMPLED,	   /* by its clock */
	TRACEE_BREAKPOINT, /* at our breakpoint */
	TRACEE_BELATED,	   /* by an event that it had */
	TRACEE_SIGNALLED,  /* a signal is about to be delivered */
	TRACEE_PAUSED,	   /* by SIGSTOP or its like: stays so until SIGCONT */
	TRACEE_EXECUTED,   /* it runs a new program, as the process's only thread */
	TRACEE_EVENT,	   /* it made a child, which will announce itself */
};

/* A tracee's registers as it stopped. */
struct tracee_registers {
	struct isa_registers isa;
	bool in_system_call; /* in the kernel's code for one */
	int64_t result;	     /* of that, as the program is going to see it */
	bool is_64_bit;	     /* what it runs */
};

/* Trace a thread, and the threads and, with @children, processes that it makes, without stopping
 * it. */
int tracee_seize(pid_t tid, bool children);
/* Trace it from now on with its children, or without. */
int tracee_follow(pid_t tid, bool children);
int tracee_interrupt(pid_t tid);
/* What a status of waitpid(2) with WIFSTOPPED means, for a thread with @events (may be NULL); *sig:
 * the signal to pass on. */
enum tracee_stop tracee_why(pid_t tid, const struct tracee_events *events, int status, int *sig);
/* Go on, with the signal @sig or 0; @step: by PTRACE_SINGLESTEP. */
int tracee_resume(pid_t tid, int sig, bool step);
/* Stay stopped as the program wanted, but tell when that ends. */
int tracee_listen(pid_t tid);

int tracee_registers(pid_t tid, struct tracee_registers *registers);
/* All that evaluation wants, vectors included. */
int tracee_load(pid_t tid, const struct tracee_registers *registers, struct isa_state *s);

bool tracee_blocks(pid_t tid, int number);
bool tracee_ignores_trap(pid_t tid);

/* The thread's own debug registers, where it can have no events. The kernel ends a thread's
 * blocking or ignoring of SIGTRAP where one hits: no breakpoint may be set then. */
int tracee_break_at(pid_t tid, uint64_t address);
int tracee_unbreak(pid_t tid);
/* The breakpoint was hit, and its stop has not come: other stops may come before it. */
bool tracee_has_hit(pid_t tid);
/*
 * Where a thread does not pass its breakpoint (isa/host.h), the kernel steps over that of an event,
 * with all of the thread's breakpoints off until the step is done. An ordinary resumption ends the
 * step, and leaves them off: it has to be resumed by PTRACE_SINGLESTEP, of whose step nothing is
 * told then. Where there was none to go on with, the thread stops once more (TRACEE_BELATED). A
 * handler that is entered meanwhile, or a system call's end, stops the thread as well
 * (TRACEE_EVENT), and the step is yet to come.
 * TRACEE_SIGNALLED: it is another stop.
 */
enum tracee_stop tracee_stepped(pid_t tid, const siginfo_t *info);
/* Is the signal that it is about to get the one of our breakpoint? If so, the hit is taken. */
bool tracee_takes_hit(pid_t tid, const siginfo_t *info);
/* Is the thread running, as far as /proc can tell? @file: of tracee_open_state, or -1. */
int tracee_open_state(pid_t tid);
bool tracee_is_running(int file);

/*
 * If the stopped thread's system call says EINTR though there is no signal that the program would
 * see, let it be begun again when the thread goes on; @registers are what it has then. 0, or a
 * negative errno.
 *
 * A time-out begins anew. It is longer by what had passed: threads are interrupted right after they
 * were seen running.
 */
int tracee_restart_call(pid_t tid, struct tracee_registers *registers);
