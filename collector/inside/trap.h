/* SPDX-License-Identifier: MIT */
/* SIGTRAP: where the profiled threads stop for us. */
#ifndef COLLECTOR_INSIDE_TRAP_H
#define COLLECTOR_INSIDE_TRAP_H

#include <stdbool.h>

#include "collector/inside/signal_delivery.h"

/* What an event's signal brings besides the thread's slot (slots are aligned). */
#define TRAP_SAMPLE	0u
#define TRAP_BREAKPOINT 1u

struct trap {
	bool installed;		  /* atomic */
	uint32_t changing;	  /* SIGTRAP changes hands: one thread at a time; atomic */
	struct sigaction program; /* what the program wants done with its own SIGTRAPs */
};

/* Install the handler, keeping the program's own disposition. 0 or a negative errno. */
int trap_install(void);
/* Give SIGTRAP back to the program: only when no signal of ours can be under way any more. */
void trap_remove(void);
/* Does the program have a handler of its own? */
bool trap_program_handles(void);

/* sigaction(SIGTRAP) as the program should see it: while our handler is installed, set and get what
 * it wants for SIGTRAPs that are not ours; else @next, libc's. */
int trap_program_action(signal_delivery_sigaction_call *next, const struct sigaction *new_action,
			struct sigaction *old_action);
/* In the child of a fork. */
void trap_after_fork(void);

#endif
