/* SPDX-License-Identifier: MIT */
#include "collector/inside/life/trap_action.h"

#include <signal.h>
#include <string.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/handler/pending_trap.h"
#include "collector/inside/handler/virtual_mask.h"
#include "collector/inside/life/trap_mask.h"
#include "collector/kernel/syscall.h"
#include "collector/kernel/task_status.h"

#define RESTORER_FLAG 0x04000000u

static long set_action(struct kernel_sigaction *old)
{
	struct kernel_sigaction action = {
		.handler = trap_entry,
		.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER | RESTORER_FLAG,
		.restorer = trap_return,
		.mask = TRAP_HANDLER_MASK,
	};

	return syscall_6(SYS_rt_sigaction, SIGTRAP, (uintptr_t)&action, (uintptr_t)old,
			 sizeof(action.mask), 0, 0);
}

/* A breakpoint of another thread that is hit now passes unseen: struct trap, gaps. */
static void ignore_for_now(void)
{
	struct kernel_sigaction action = {
		.handler = (signal_delivery_handler *)(uintptr_t)1 /* SIG_IGN */};

	syscall_6(SYS_rt_sigaction, SIGTRAP, (uintptr_t)&action, 0, sizeof(action.mask), 0, 0);
}

static int install_action(void)
{
	struct kernel_sigaction old = {0};
	long rc = set_action(&old);

	if (rc)
		return (int)rc;
	if (old.handler == trap_entry)
		return 0;
	atomic_write_release(&handler_state.trap.installed, true);
	memset(&handler_state.trap.program, 0, sizeof(handler_state.trap.program));
	handler_state.trap.program.sa_sigaction = old.handler;
	handler_state.trap.program.sa_flags = (int)old.flags;
	memcpy(&handler_state.trap.program.sa_mask, &old.mask, sizeof(old.mask));
	signal_wrap_undo(SIGTRAP, &handler_state.trap.program);
	return 0;
}

int trap_install(void)
{
	uint64_t before = rwlock_write(&handler_state.trap.changing);
	int rc = install_action();

	rwlock_write_end(&handler_state.trap.changing, before);
	return rc;
}

void trap_install_if_gone(void)
{
	if (handler_state.process.pid && !atomic_read_relaxed(&handler_state.trap.installed))
		trap_install();
}

static void give_action_back(void)
{
	struct sigaction program = handler_state.trap.program;
	struct kernel_sigaction action = {.restorer = trap_return};

	if (!atomic_read_relaxed(&handler_state.trap.installed))
		return;
	if (signal_wrap_is_installed())
		signal_wrap_action(SIGTRAP, &program);
	action.handler = program.sa_sigaction;
	action.flags = (unsigned)program.sa_flags | RESTORER_FLAG;
	memcpy(&action.mask, &program.sa_mask, sizeof(action.mask));
	atomic_write_release(&handler_state.trap.installed, false);
	syscall_6(SYS_rt_sigaction, SIGTRAP, (uintptr_t)&action, 0, sizeof(action.mask), 0, 0);
}

void trap_remove(void)
{
	uint64_t before = rwlock_write(&handler_state.trap.changing);

	give_action_back();
	rwlock_write_end(&handler_state.trap.changing, before);
}

bool trap_program_handles(void)
{
	return (uintptr_t)handler_state.trap.program.sa_sigaction >
	       1; /* neither SIG_DFL nor SIG_IGN */
}

/* What is ignored now is not to come later: the kernel forgets it, for all threads. */
static void forget_pending(void)
{
	ignore_for_now();
	atomic_add_relaxed(&handler_state.trap.gaps, 1);
	set_action(NULL);
}

void trap_forget_ours(void)
{
	uint64_t before = syscall_signal_mask(SIG_BLOCK, PENDING_TRAP_BIT);
	struct pending_trap pending;

	pending_trap_take(&pending);
	forget_pending();
	pending_trap_put_back(&pending);
	syscall_signal_mask(SIG_SETMASK, before);
}

static int set_in_child(signal_wrap_sigaction_call *next, const struct sigaction *new_action,
			struct sigaction *old_action)
{
	int rc = next(SIGTRAP, new_action, old_action);

	if (!rc && old_action && old_action->sa_sigaction == trap_entry)
		*old_action = handler_state.trap.program;
	return rc;
}

static void set_program(const struct sigaction *action)
{
	handler_state.trap.program = *action;
	sigdelset(&handler_state.trap.program.sa_mask, SIGKILL);
	sigdelset(&handler_state.trap.program.sa_mask, SIGSTOP);
	if (action->sa_handler == SIG_IGN)
		forget_pending();
}

int trap_program_set(signal_wrap_sigaction_call *next, const struct sigaction *new_action,
		     struct sigaction *old_action)
{
	bool excluded = process_is_excluded(&handler_state.process);
	struct sigaction was;
	uint64_t before;
	int rc = 0;

	if (!excluded && handler_state_is_borrowed())
		return set_in_child(next, new_action, old_action);
	before = excluded ? 0 : rwlock_write(&handler_state.trap.changing);
	was = handler_state.trap.program;
	if (!atomic_read_relaxed(&handler_state.trap.installed)) {
		rc = signal_wrap_sigaction(next, SIGTRAP, new_action, old_action);
	} else {
		if (new_action)
			set_program(new_action);
		if (old_action)
			*old_action = was;
	}
	if (!excluded)
		rwlock_write_end(&handler_state.trap.changing, before);
	return rc;
}

int trap_program_action(signal_wrap_sigaction_call *next, const struct sigaction *new_action,
			struct sigaction *old_action)
{
	struct sigaction wanted;

	if (new_action) {
		wanted = *new_action;
		wanted.sa_flags |= RESTORER_FLAG; /* libc's doing */
	}
	return trap_program_set(next, new_action ? &wanted : NULL, old_action);
}

/* ---- what threads sent to themselves --------------------------------------------------------- */

#define SENT_THREADS_MOST 16u /* more are not kept at once */

struct sent_traps {
	uint32_t count, tids[SENT_THREADS_MOST];
};

/* The thread's own, not what is the process's. */
static bool is_pending_for(uint32_t tid)
{
	struct task_status status;

	task_status_of(tid, &status);
	return status.pending & PENDING_TRAP_BIT;
}

void trap_sent_note(int code, union sigval value)
{
	struct thread *t = thread_current();

	/* the kernel keeps the first one */
	if (!t || is_pending_for(t->tid))
		return;
	t->sent = (siginfo_t){.si_signo = SIGTRAP, .si_code = code};
	t->sent.si_pid = (pid_t)syscall_pid();
	t->sent.si_uid = (uid_t)syscall_3(SYS_getuid, 0, 0, 0);
	t->sent.si_value = value;
	atomic_write_release(&handler_state.trap.sent, true);
}

/* The other threads that have one pending, which are to have it once more. */
static void find_sent(struct sent_traps *out)
{
	const struct process *p = &handler_state.process;
	uint32_t self = syscall_tid();

	*out = (struct sent_traps){0};
	/* the child of a vfork has no other threads; acquires the release in trap_sent_note */
	if (!atomic_read_acquire(&handler_state.trap.sent) || !handler_state_is_own())
		return;
	for (uint32_t i = 0; i < p->slots_used && out->count < SENT_THREADS_MOST; i++) {
		const struct thread *t = thread_slot(p, i);

		if (t->tid && t->tid != self && t->sent.si_signo && is_pending_for(t->tid))
			out->tids[out->count++] = t->tid;
	}
}

static void send_again(const struct sent_traps *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const struct thread *t = thread_of(&handler_state.process, s->tids[i]);

		if (t)
			pending_trap_send_to(t->tid, &t->sent);
	}
}

/* ---- exec ---------------------------------------------------------------------------------- */

/* Not any more in a child of vfork that has set it to something else. */
static bool is_set(void)
{
	struct kernel_sigaction now = {0};

	syscall_6(SYS_rt_sigaction, SIGTRAP, 0, (uintptr_t)&now, sizeof(now.mask), 0, 0);
	return now.handler == trap_entry;
}

void trap_exec_begin(struct trap_exec *e)
{
	struct pending_trap pending;
	struct sent_traps others;

	*e = (struct trap_exec){0};
	if (!atomic_read_relaxed(&handler_state.trap.installed))
		return;
	trap_mask_exec_begin(&e->mask);
	e->ignored = handler_state.trap.program.sa_handler == SIG_IGN && is_set();
	if (!e->ignored)
		return;
	/* the kernel forgets what is pending then, and would not if it had been ignored before */
	pending_trap_take(&pending);
	find_sent(&others);
	ignore_for_now();
	pending_trap_put_back(&pending);
	send_again(&others);
}

void trap_exec_end(const struct trap_exec *e)
{
	if (e->ignored && atomic_read_relaxed(&handler_state.trap.installed)) {
		atomic_add_relaxed(&handler_state.trap.gaps, 1);
		set_action(NULL);
	}
	trap_mask_exec_end(&e->mask);
}

void trap_after_fork(void)
{
	virtual_mask_after_fork();
	handler_state.trap.changing = (struct rwlock){0};
}
