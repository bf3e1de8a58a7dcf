/* SPDX-License-Identifier: MIT */
/* Threads of the collector's own. */
#include "collector/inside/life/process_life.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>

#include "collector/kernel/syscall.h"

#define STACK_BYTES (128u << 10)

/* glibc's clone(2), behind the one that the program calls. Another libc lacks it. */
int __clone(int (*run)(void *), void *stack, int flags, void *argument, ...) __attribute__((weak));

int own_thread_start(struct process *p, int (*run)(void *), char **stack, uint32_t *tid)
{
	uint64_t before;
	int rc;

	if (!__clone)
		return -ENOSYS;
	if (!*stack)
		*stack = syscall_map(STACK_BYTES, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (!*stack)
		return -ENOMEM;
	before = syscall_signal_mask(SIG_SETMASK, UINT64_MAX);
	rc = __clone(run, *stack + STACK_BYTES,
		     CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			     CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
		     p, tid, NULL, tid);
	syscall_signal_mask(SIG_SETMASK, before);
	return rc < 0 ? -EAGAIN : 0;
}
