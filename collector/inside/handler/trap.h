/* SPDX-License-Identifier: MIT */
/* SIGTRAP: where the profiled threads stop for us. */
#pragma once

#include <signal.h>

#include "collector/inside/handler/rwlock.h"
#include "collector/inside/handler/signal_delivery.h"

/* What is blocked in the handler. A SIGTRAP of the program's is not: the kernel drops it while one
 * of ours is pending. SIGKILL and SIGSTOP never are. */
#define TRAP_HANDLER_MASK                                                \
	(~(UINT64_C(1) << (SIGTRAP - 1) | UINT64_C(1) << (SIGKILL - 1) | \
	   UINT64_C(1) << (SIGSTOP - 1)))

/* What an event's signal brings besides the thread's slot (slots are aligned). */
#define TRAP_SAMPLE	0u
#define TRAP_BREAKPOINT 1u

struct trap {
	bool installed;		/* atomic */
	struct rwlock changing; /* SIGTRAP changes hands: one thread at a time */
	uint32_t gaps;		/* times that SIGTRAP was ignored for a while; atomic */
	uint32_t virtual_masks; /* enum virtual_mask_state; atomic */
	bool sent;		/* a thread sent SIGTRAP to itself, ever: trap_sent_note; atomic */
	bool masked;		/* a thread blocked SIGTRAP, ever: trap_mask.c; atomic */
	/* an event's signal is kept while its thread blocks SIGTRAP; before Linux 5.18 it ends the
	 * program */
	bool keeps;
	uint32_t suspensions;	  /* times that threads were no longer sampled; atomic */
	struct sigaction program; /* what the program wants done with its own SIGTRAPs */
};

/* The handler, as the kernel enters it, and the way back to the kernel. */
void trap_entry(int number, siginfo_t *info, void *context) __attribute__((visibility("hidden")));
void trap_return(void) __attribute__((visibility("hidden")));
