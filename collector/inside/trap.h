/* SPDX-License-Identifier: MIT */
/* SIGTRAP: where the profiled threads stop for us. */
#ifndef COLLECTOR_INSIDE_TRAP_H
#define COLLECTOR_INSIDE_TRAP_H

#include <stdbool.h>

#include "collector/inside/rwlock.h"
#include "collector/inside/signal_delivery.h"
#include "collector/inside/trap_mask.h"

/* What an event's signal brings besides the thread's slot (slots are aligned). */
#define TRAP_SAMPLE	0u
#define TRAP_BREAKPOINT 1u

struct trap {
	bool installed;		  /* atomic */
	struct rwlock changing;	  /* SIGTRAP changes hands: one thread at a time */
	uint32_t gaps;		  /* times that SIGTRAP was ignored for a while; atomic */
	uint32_t claims;	  /* enum trap_claim_state; atomic */
	bool sent;		  /* a thread sent SIGTRAP to itself, ever: trap_sent.c; atomic */
	bool masked;		  /* a thread blocked SIGTRAP, ever: trap_mask.c; atomic */
	struct sigaction program; /* what the program wants done with its own SIGTRAPs */
};

/* Install the handler, keeping the program's own disposition. 0 or a negative errno. */
int trap_install(void);
/* Give SIGTRAP back to the program: only when no signal of ours can be under way any more. */
void trap_remove(void);
/* The same, if the calling thread's mask is to be changed while the recording is off. */
void trap_install_if_gone(void);
/* Does the program have a handler of its own? */
bool trap_program_handles(void);

/* sigaction(SIGTRAP) as the program should see it: while our handler is installed, set and get what
 * it wants for SIGTRAPs that are not ours; else @next, libc's. */
int trap_program_action(signal_delivery_sigaction_call *next, const struct sigaction *new_action,
			struct sigaction *old_action);
/* The same of a call by which the kernel gets the flags as they are. */
int trap_program_set(signal_delivery_sigaction_call *next, const struct sigaction *new_action,
		     struct sigaction *old_action);
/* Around an exec, or a call that starts another program: what it inherits, if the program ignores
 * SIGTRAP or blocks it. Also in the child of a vfork. */
struct trap_exec {
	struct trap_mask_exec mask;
	bool ignored;
};
void trap_exec_begin(struct trap_exec *e);
void trap_exec_failed(const struct trap_exec *e);
/* In the child of a fork. */
void trap_after_fork(void);

#endif
