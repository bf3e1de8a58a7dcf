/* SPDX-License-Identifier: MIT */
/*
 * The kernel, as collector/inside/ meets it in unit tests: what it keeps of signals, alternate
 * stacks, descriptors and limits is here, and a test sets and reads it. Memory and files are the
 * real kernel's. No signal is delivered: a test calls what a handler would.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "collector/inside/handler/signal_delivery.h"

#define FAKE_KERNEL_CALLS 512u
#define FAKE_KERNEL_FDS	  9000u
#define FAKE_KERNEL_TRAP  (UINT64_C(1) << (SIGTRAP - 1))

/* A SIGTRAP that is kept. */
struct fake_signal {
	bool there;
	siginfo_t info;
};

/* Of the calling thread. */
struct fake_thread {
	uint32_t tid; /* 0: as many as the process */
	uint64_t mask;
	stack_t stack;
	struct fake_signal pending;
};
extern _Thread_local struct fake_thread fake_thread;

struct fake_kernel {
	uint32_t pid;
	struct fake_signal pending; /* of the process */
	struct kernel_sigaction actions[SIGNAL_DELIVERY_SIGNALS];
	struct rlimit limits[RLIM_NLIMITS];
	bool open[FAKE_KERNEL_FDS];		/* from fcntl(F_DUPFD), and events */
	uint64_t ids[FAKE_KERNEL_FDS], last_id; /* of the events behind them */
	uint64_t periods[FAKE_KERNEL_FDS];	/* that were set; 0: none was */
	bool enabled[FAKE_KERNEL_FDS];		/* events */
	uint64_t thread_ns;			/* what clocks of other threads say; 0: gone */
	uint32_t gone;				/* a thread that has ended; 0: none */
	long answers[FAKE_KERNEL_CALLS];
	bool answered[FAKE_KERNEL_CALLS]; /* the call does nothing but to return its answer */
	unsigned calls[FAKE_KERNEL_CALLS];
	/* The text of /proc/.../status of threads; NULL: the real file. */
	const char *status;
	/* Called for a signal to another thread of the process; may be NULL. */
	void (*sent)(uint32_t tid, const siginfo_t *info);
};
extern struct fake_kernel fake_kernel;

/* As at the start of a process of number 100, with one thread. handler_state is empty. */
int fake_kernel_reset(void **state);
/* The call @number returns @answer, and does nothing. */
void fake_kernel_answer(long number, long answer);
/* A SIGTRAP with that code is pending: of the calling thread, or of the process. */
void fake_kernel_keep(struct fake_signal *s, int code);
