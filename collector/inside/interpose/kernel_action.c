/* SPDX-License-Identifier: MIT */
#include "collector/inside/interpose/kernel_action.h"

#include <errno.h>
#include <string.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/life/trap_action.h"
#include "collector/inside/life/signal_wrap.h"
#include "collector/shared/shared_bytes.h"
#include "collector/kernel/syscall.h"

static struct sigaction to_libc(const struct kernel_sigaction *from)
{
	struct sigaction action = {.sa_sigaction = from->handler,
				   .sa_flags = (int)from->flags,
				   .sa_restorer = from->restorer};

	memcpy(&action.sa_mask, &from->mask, sizeof(from->mask));
	return action;
}

static struct kernel_sigaction from_libc(const struct sigaction *from)
{
	struct kernel_sigaction action = {.handler = from->sa_sigaction,
					  .flags = (unsigned)from->sa_flags,
					  .restorer = from->sa_restorer};

	memcpy(&action.mask, &from->sa_mask, sizeof(action.mask));
	return action;
}

/* A signal_wrap_sigaction_call, but for errno: the error is returned. */
static int pass_to_kernel(int number, const struct sigaction *new_action,
			  struct sigaction *old_action)
{
	struct kernel_sigaction wanted, was = {0};
	long rc;

	if (new_action)
		wanted = from_libc(new_action);
	rc = syscall_6(SYS_rt_sigaction, (uint64_t)number, new_action ? (uintptr_t)&wanted : 0,
		       (uintptr_t)&was, sizeof(was.mask), 0, 0);
	if (!rc && old_action)
		*old_action = to_libc(&was);
	return (int)rc;
}

bool kernel_action_set(const uint64_t arguments[6], long *rc)
{
	const void *new_at = (const void *)(uintptr_t)arguments[1];
	void *old_at = (void *)(uintptr_t)arguments[2];
	struct kernel_sigaction wanted, was;
	struct sigaction new_action, old_action;

	if ((int)arguments[0] != SIGTRAP || arguments[3] != sizeof(wanted.mask) ||
	    !handler_state.process.pid || process_is_refused(&handler_state.process))
		return false;
	if (new_at) {
		if (!shared_bytes_read(&wanted, new_at, sizeof(wanted)))
			return false; /* EFAULT */
		new_action = to_libc(&wanted);
	}
	*rc = trap_program_set(pass_to_kernel, new_at ? &new_action : NULL, &old_action);
	if (*rc || !old_at)
		return true;
	was = from_libc(&old_action);
	if (!shared_bytes_write(old_at, &was, sizeof(was)))
		*rc = -EFAULT; /* but set */
	return true;
}
