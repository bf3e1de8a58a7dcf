/* SPDX-License-Identifier: MIT */
/*
 * All that the collector keeps in a profiled process: a signal handler, and a call that stands
 * before libc's, get no argument of ours through which they could find it. Beside it there is only
 * what no handler touches: the linked collector's recording (api.c), libc's functions
 * (interposed.h) and what is asked before an exec (exclusion_checks.h).
 *
 * Whoever is given a pointer to a part of it works with that, and does not name this variable.
 */
#pragma once

#include "collector/inside/handler/altstack.h"
#include "collector/inside/handler/descriptors.h"
#include "collector/inside/handler/process.h"
#include "collector/inside/handler/restartable_scan.h"
#include "collector/inside/handler/signal_delivery.h"
#include "collector/inside/handler/trap.h"

struct handler_state {
	/* life/: process_life.c, process_file.c: joining, leaving and switching, in ordinary code,
	 * the last under process.switching. A handler writes its own thread's slot, the workspace
	 * that it took, and atomics. */
	struct process process;
	/* trap_action.c: installing, removing and the program's own sigaction(SIGTRAP), under
	 * trap.changing; handlers read, and take out a handler with SA_RESETHAND. */
	struct trap trap;
	/* signal_wrap.c: whoever sets a handler, in ordinary code; handlers read. */
	struct signal_delivery delivery;
	/* altstack.c: each thread its own entry, at its first trap in the handler too. */
	struct altstacks altstacks;
	/* descriptors.c: who opens or closes events, one bit at a time; handlers at the end of a
	 * recording. */
	struct descriptors descriptors;
	/* restartable_scan.c: one thread at a time, under restartable.looking; in handlers. */
	struct restartable_scan restartable;
};

extern struct handler_state handler_state;

/* Is the calling process profiled, and all of this its own? */
bool handler_state_is_own(void);
/* Does it belong to the parent of the calling process? A child of vfork has its parent's memory,
 * but its own signals and descriptors. */
bool handler_state_is_borrowed(void);
/* Other code may come to where some was decoded, if the process is profiled. */
void handler_state_forget_code(void);
