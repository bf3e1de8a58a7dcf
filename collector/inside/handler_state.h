/* SPDX-License-Identifier: MIT */
/*
 * All that the collector keeps in a profiled process: a signal handler, and a call that stands
 * before libc's, get no argument of ours through which they could find it. Beside it there is only
 * the linked collector's recording (api.c), which no handler touches.
 *
 * Whoever is given a pointer to a part of it works with that, and does not name this variable.
 */
#ifndef COLLECTOR_INSIDE_HANDLER_STATE_H
#define COLLECTOR_INSIDE_HANDLER_STATE_H

#include <pthread.h>

#include "collector/inside/altstack.h"
#include "collector/inside/descriptors.h"
#include "collector/inside/exec_guard.h"
#include "collector/inside/interposed.h"
#include "collector/inside/process.h"
#include "collector/inside/restartable_scan.h"
#include "collector/inside/signal_delivery.h"
#include "collector/inside/trap.h"

struct handler_state {
	/* process.c and process_file.c: joining, leaving and switching, in ordinary code, the last
	 * under process.switching. A handler writes its own thread's slot, the workspace that it
	 * took, and atomics. */
	struct process process;
	/* trap.c: installing, removing and the program's own sigaction(SIGTRAP), under
	 * trap.changing; handlers read, and take out a handler with SA_RESETHAND. */
	struct trap trap;
	/* signal_delivery.c: whoever sets a handler, in ordinary code; handlers read. */
	struct signal_delivery delivery;
	/* altstack.c: each thread its own entry, at its first trap in the handler too. */
	struct altstacks altstacks;
	/* descriptors.c: who opens or closes events, one bit at a time; handlers at the end of a
	 * recording. */
	struct descriptors descriptors;
	/* restartable_scan.c: one thread at a time, under restartable.looking; in handlers. */
	struct restartable_scan restartable;
	/* interposed.c: when the library is loaded, or at the first call; never changed after. */
	struct interposed interposed;
	/* interpose.c: at the first thread's beginning; its destructor ends a thread's sampling. */
	pthread_key_t thread_key;
	pthread_once_t thread_key_once;
	/* exec_guard.c: at the library's constructor; `filtered` is atomic. */
	struct exec_guard execs;
};

extern struct handler_state handler_state;

#endif
