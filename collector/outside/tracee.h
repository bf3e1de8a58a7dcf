/* SPDX-License-Identifier: MIT */
/*
 * One thread of another process under ptrace(2): registers, one hardware breakpoint through its
 * debug registers, and going on as if nothing had happened.
 *
 * All calls are for the thread that seized it, and but for tracee_seize and tracee_interrupt for a
 * tracee that is stopped. -ESRCH: it is gone, or was killed in this moment.
 */
#ifndef COLLECTOR_OUTSIDE_TRACEE_H
#define COLLECTOR_OUTSIDE_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "isa/evaluate.h"

/* Why a tracee stopped. */
enum tracee_stop {
	TRACEE_TRAPPED,	   /* for us: interrupted, or it is new */
	TRACEE_BREAKPOINT, /* at our breakpoint */
	TRACEE_SIGNALLED,  /* a signal is about to be delivered */
	TRACEE_PAUSED,	   /* by SIGSTOP or its like: stays so until SIGCONT */
	TRACEE_EXECUTED,   /* it runs a new program, as the process's only thread */
	TRACEE_EVENT,	   /* it made a child, which will announce itself */
};

/* Trace a thread, and the threads and, with @children, processes that it makes, without stopping
 * it. */
int tracee_seize(pid_t tid, bool children);
/* From now on with its children, or without. */
int tracee_follow(pid_t tid, bool children);
int tracee_interrupt(pid_t tid);
/* What a status of waitpid(2) with WIFSTOPPED means; *sig: the signal to pass on. */
enum tracee_stop tracee_why(pid_t tid, int status, int *sig);
/* Go on, with the signal @sig or 0. */
int tracee_resume(pid_t tid, int sig);
/* Stay stopped as the program wanted, but tell when that ends. */
int tracee_listen(pid_t tid);

int tracee_registers(pid_t tid, struct user_regs_struct *registers);
/* All that evaluation wants, vectors included. */
int tracee_load(pid_t tid, const struct user_regs_struct *registers, struct isa_state *s);

/* It stopped in the kernel's code for a system call. */
bool tracee_in_system_call(const struct user_regs_struct *registers);
/*
 * Some system calls return EINTR when the thread is stopped, though no signal came (signal(7):
 * epoll_wait and its like). The program has not asked for that: begin the call again.
 */
int tracee_restart_system_call(pid_t tid, struct user_regs_struct *registers);

/* The kernel ends a thread's blocking or ignoring of SIGTRAP where a debug register hits: no
 * breakpoint may be set then. Blocked is the thread's own, ignored the process's. */
bool tracee_blocks_trap(pid_t tid);
bool tracee_ignores_trap(pid_t tid);

int tracee_break_at(pid_t tid, uint64_t address);
int tracee_unbreak(pid_t tid);
/* The breakpoint was hit, and its stop has not come: other stops may come before it. */
bool tracee_has_hit(pid_t tid);
/* A number of /proc/TID/status, or 0. */
uint32_t tracee_status_number(pid_t tid, const char *name);
/* Is the thread running, as far as /proc can tell? @file: of tracee_open_state, or -1. */
int tracee_open_state(pid_t tid);
bool tracee_is_running(int file);

#endif
