/* SPDX-License-Identifier: MIT */
/* System calls that a tracer's stop has interrupted: they are begun again. */
#ifndef COLLECTOR_OUTSIDE_TRACEE_RESTART_H
#define COLLECTOR_OUTSIDE_TRACEE_RESTART_H

#include "collector/outside/tracee.h"

/*
 * If the stopped thread's system call says EINTR though there is no signal that the program would
 * see, let it be begun again when the thread goes on; @registers are what it has then. 0, or a
 * negative errno.
 *
 * A time-out begins anew. It is longer by what had passed: threads are interrupted right after they
 * were seen running.
 */
int tracee_restart_call(pid_t tid, struct tracee_registers *registers);

#endif
