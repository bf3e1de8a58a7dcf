/* SPDX-License-Identifier: MIT */
#include "collector/inside/life/switch_thread.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "base/atomics.h"
#include "collector/inside/handler/process.h"
#include "collector/inside/life/quiescence.h"
#include "collector/kernel/syscall.h"

#define STACK_BYTES (128u << 10)

static int run(void *process)
{
	struct process *p = process;
	struct session_control *c = p->control;

	syscall_3(SYS_prctl, PR_SET_NAME, (uintptr_t) "softlbr", 0);
	while (p->pid && !process_is_refused(p)) {
		uint32_t changes = atomic_read_acquire(&c->changes);
		uint32_t state = process_state(p);

		if (state == SESSION_STOP) {
			p->switched->leave();
			break;
		}
		p->switched->pause(state != SESSION_RUN);
		/* its writer: journal.c, journal_set_state */
		syscall_6(SYS_futex, (uintptr_t)&c->changes, FUTEX_WAIT, changes, 0, 0, 0);
	}
	return 0;
}

int switch_thread_start(struct process *p, const struct switch_thread_operations *operations)
{
	uint64_t all = ~0ull, before = 0;
	long stack = syscall_6(SYS_mmap, 0, STACK_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, (uint64_t)-1, 0);
	int tid;

	if (stack < 0 && stack > -4096)
		return (int)stack;
	syscall_6(SYS_rt_sigprocmask, SIG_SETMASK, (uintptr_t)&all, (uintptr_t)&before, 8, 0, 0);
	p->switched = operations;
	tid = clone(run, (void *)(stack + STACK_BYTES),
		    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			    CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
		    p, &p->switch_tid, NULL, &p->switch_tid);
	syscall_6(SYS_rt_sigprocmask, SIG_SETMASK, (uintptr_t)&before, 0, 8, 0, 0);
	return tid < 0 ? -EAGAIN : 0;
}

void switch_thread_end(struct process *p)
{
	/* cleared by the kernel at its end (CLONE_CHILD_CLEARTID, clone(2)) */
	while (atomic_read_acquire(&p->switch_tid)) {
		/* it sleeps on this word, as others of the session do: they look and sleep again */
		syscall_3(SYS_futex, (uintptr_t)&p->control->changes, FUTEX_WAKE, INT32_MAX);
		quiescence_sleep();
	}
}
