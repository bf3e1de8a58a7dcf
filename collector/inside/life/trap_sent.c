/* SPDX-License-Identifier: MIT */
#include "collector/inside/life/trap_sent.h"

#include <stddef.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/handler/pending_trap.h"
#include "collector/kernel/syscall.h"
#include "collector/kernel/task_status.h"

/* The thread's own, not what is the process's. */
static bool is_pending(uint32_t tid)
{
	struct task_status status;

	task_status_of(tid, &status);
	return status.pending & PENDING_TRAP_BIT;
}

void trap_sent_note(int code, union sigval value)
{
	struct thread *t = thread_current();

	/* the kernel keeps the first one */
	if (!t || is_pending(t->tid))
		return;
	t->sent = (siginfo_t){.si_signo = SIGTRAP, .si_code = code};
	t->sent.si_pid = (pid_t)syscall_3(SYS_getpid, 0, 0, 0);
	t->sent.si_uid = (uid_t)syscall_3(SYS_getuid, 0, 0, 0);
	t->sent.si_value = value;
	atomic_write_release(&handler_state.trap.sent, true);
}

void trap_sent_find(struct trap_sent *out)
{
	const struct process *p = &handler_state.process;
	uint32_t self = (uint32_t)syscall_3(SYS_gettid, 0, 0, 0);

	*out = (struct trap_sent){0};
	/* the child of a vfork has no other threads; acquires the release in trap_sent_note */
	if (!atomic_read_acquire(&handler_state.trap.sent) || !handler_state_is_own())
		return;
	for (uint32_t i = 0; i < p->slots_used && out->count < TRAP_SENT_THREADS; i++) {
		const struct thread *t = thread_slot(p, i);

		if (t->tid && t->tid != self && t->sent.si_signo && is_pending(t->tid))
			out->tids[out->count++] = t->tid;
	}
}

void trap_sent_again(const struct trap_sent *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const struct thread *t = thread_of(&handler_state.process, s->tids[i]);

		if (t)
			pending_trap_send_to(t->tid, &t->sent);
	}
}
