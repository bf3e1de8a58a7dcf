/* SPDX-License-Identifier: MIT */
/* One for the memory of a process. Whose it is, the kernel is asked: a child of vfork shares it. */
#include "collector/inside/handler/handler_state.h"

#include "collector/kernel/syscall.h"

struct handler_state handler_state;

bool handler_state_is_own(void)
{
	const struct process *p = &handler_state.process;

	return p->pid && syscall_pid() == p->pid;
}

bool handler_state_is_borrowed(void)
{
	return handler_state.process.pid && !handler_state_is_own();
}

void handler_state_forget_code(void)
{
	if (handler_state.process.pid)
		decode_cache_forget(&handler_state.process.cache);
}
