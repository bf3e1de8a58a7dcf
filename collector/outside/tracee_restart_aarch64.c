/* SPDX-License-Identifier: MIT */
/*
 * The kernel's EINTR replaces the call's first argument, which ptrace shows nowhere: a call can't
 * be begun again. A thread that has events (tracee_events.h) is never stopped in one.
 */
#include "collector/outside/tracee_restart.h"

int tracee_restart_call(pid_t tid, struct tracee_registers *registers)
{
	(void)tid;
	(void)registers;
	return 0;
}
