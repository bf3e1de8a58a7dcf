/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler/handler_state.h"

#include "collector/kernel/syscall.h"

struct handler_state handler_state;

bool handler_state_is_own(void)
{
	const struct process *p = &handler_state.process;

	return p->pid && (uint32_t)syscall_3(SYS_getpid, 0, 0, 0) == p->pid;
}

bool handler_state_is_borrowed(void)
{
	const struct process *p = &handler_state.process;

	return p->pid && (uint32_t)syscall_3(SYS_getpid, 0, 0, 0) != p->pid;
}
