/* SPDX-License-Identifier: MIT */
/*
 * The program's own signals, while the kernel's alternate stack is ours: the program's handlers run
 * on the stack on which they would run without us.
 *
 * The kernel puts the frame of a signal with SA_ONSTACK on our alternate stack, and one that comes
 * together with that above it, and calls us. The
 * frame is moved to the program's alternate stack, or below the interrupted code if the program has
 * none, and the program's handler is called there. It returns to the kernel, or leaves by
 * siglongjmp, from there; our stack is free again before it begins.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

typedef void signal_delivery_handler(int, siginfo_t *, void *);

/* The kernel's struct sigaction (include/uapi/asm-generic/signal.h). */
struct kernel_sigaction {
	signal_delivery_handler *handler;
	uint64_t flags;
	void (*restorer)(void);
	uint64_t mask;
};

#define SIGNAL_DELIVERY_SIGNALS 65 /* their numbers are below */

struct signal_delivery {
	signal_delivery_handler *handlers[SIGNAL_DELIVERY_SIGNALS]; /* of the program; atomic */
	uint64_t on_alternate; /* a bit per signal: with SA_ONSTACK; atomic */
	uint64_t restorer; /* where the program's handlers return to; 0: not looked up; atomic */
	bool installed;	   /* atomic */
};

/* End the handler that @context belongs to, and run @handler instead, on the alternate stack that
 * the program set if @on_alternate, with @mask blocked if it is not NULL. It returns to @back. */
_Noreturn void signal_delivery_pass_on(signal_delivery_handler *handler, bool on_alternate,
				       const uint64_t *mask, int number, siginfo_t *info,
				       ucontext_t *context, uintptr_t back);

/* Did @context's signal come where another one's handler is about to begin: at an entry of ours? */
bool signal_delivery_is_beginning(const ucontext_t *context);

/* Where handlers of the program's return to: libc's way back to the kernel; 0: not known. In
 * handlers. */
uint64_t signal_delivery_restorer(void);

/* What stands before the program's handlers. */
void signal_delivery_entry(int number, siginfo_t *info, void *context)
	__attribute__((visibility("hidden")));
