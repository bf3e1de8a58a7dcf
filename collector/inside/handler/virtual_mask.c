/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler/virtual_mask.h"

#include "base/atomics.h"
#include "collector/inside/handler/altstack.h"
#include "collector/inside/handler/follow.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/handler/pending_trap.h"
#include "collector/kernel/clock.h"
#include "collector/kernel/syscall.h"
#include "collector/kernel/task_status.h"

#define ROUND_NS 1000000u
/* For how many rounds of this length all threads are waited for: one may be in a system call
 * that no signal ends, and gets its message after that. */
#define ROUNDS 200u
/* For so many a message is waited for. */
#define ROUNDS_OF_MESSAGE 20u

static uint32_t virtual_masks(void)
{
	/* with the states of the threads' masks: either who ends them sees one that was just
	 * made, or who makes it sees that they end */
	return __atomic_load_n(&handler_state.trap.virtual_masks, __ATOMIC_SEQ_CST);
}

/* It blocked SIGTRAP really, but a mask from before that came back. */
static bool was_taken(const struct trap_mask *m)
{
	return m->state == TRAP_MASK_REAL && m->with &&
	       !(m->waits && !(m->waiting & PENDING_TRAP_BIT));
}

bool virtual_mask_holds(const struct trap_mask *m, uint64_t real)
{
	return (m->state == TRAP_MASK_VIRTUAL || was_taken(m)) && !(real & PENDING_TRAP_BIT) &&
	       (real & m->with) == m->with;
}

bool virtual_mask_is_over(void)
{
	return virtual_masks() != VIRTUAL_MASKS_ALLOWED;
}

static void make_real(struct trap_mask *m)
{
	process_count_masked(&handler_state.process);
	follow_suspend_current();
	syscall_signal_mask(SIG_BLOCK, PENDING_TRAP_BIT);
	__atomic_store_n(&m->state, TRAP_MASK_REAL, __ATOMIC_SEQ_CST);
}

static void wait_for_end(void)
{
	/* acquires the release in end_others */
	while (atomic_read_acquire(&handler_state.trap.virtual_masks) != VIRTUAL_MASKS_OVER)
		syscall_3(SYS_sched_yield, 0, 0, 0);
}

void virtual_mask_make_real(struct trap_mask *m)
{
	make_real(m);
	if (!virtual_mask_is_over())
		return;
	wait_for_end();
	pending_trap_drop_ours();
}

/* ---- messages ------------------------------------------------------------------------------ */

static void send_message(uint32_t tid)
{
	siginfo_t info;

	pending_trap_message(&info);
	syscall_6(SYS_rt_tgsigqueueinfo, handler_state.process.pid, tid, SIGTRAP, (uintptr_t)&info,
		  0, 0);
}

/* In a handler of the program's SIGTRAP may be blocked, and a message would be seen there. Blocked
 * by libc or by us it is for a moment, after which the virtual mask would go on. */
static bool is_to_answer(const struct task_status *s)
{
	return s->process && (!(s->blocked & PENDING_TRAP_BIT) || s->blocked & TRAP_MASK_LIBC);
}

/* Ask all that can be asked in this round. Have all answered? Behind a SIGTRAP that is pending the
 * kernel would drop a message, as it may do unseen: who doesn't answer gets another one. */
static bool ask_round(unsigned round)
{
	struct altstack_owner *o;
	bool all = true;

	for (uint32_t i = 0; (o = altstack_other_in(TRAP_MASK_VIRTUAL, &i)); i++) {
		struct task_status status;

		task_status_of(o->tid, &status);
		if (!is_to_answer(&status))
			continue;
		all = false;
		if ((status.blocked | status.pending) & PENDING_TRAP_BIT ||
		    round < o->trap.ask_from)
			continue;
		o->trap.ask_from = round + ROUNDS_OF_MESSAGE;
		send_message(o->tid);
	}
	return all;
}

static void end_others(void)
{
	if (atomic_swap_if(&handler_state.trap.virtual_masks, VIRTUAL_MASKS_ALLOWED,
			   VIRTUAL_MASKS_ENDING)) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		for (unsigned round = 0; round < ROUNDS && !ask_round(round); round++)
			clock_sleep_ns(ROUND_NS);
		/* acquired in wait_for_end */
		atomic_write_release(&handler_state.trap.virtual_masks, VIRTUAL_MASKS_OVER);
	}
	wait_for_end();
}

void virtual_mask_end_others(void)
{
	struct thread *t = thread_current();
	bool suspended = t && t->sampling != THREAD_SUSPENDED;
	uint64_t before;

	if (virtual_masks() == VIRTUAL_MASKS_OVER)
		return;
	/* the program's handlers could leave by longjmp */
	if (suspended)
		follow_suspend(t);
	before = syscall_signal_mask(SIG_BLOCK, ~UINT64_C(0));
	end_others();
	if (before & PENDING_TRAP_BIT)
		pending_trap_drop_ours();
	syscall_signal_mask(SIG_SETMASK, before);
	if (suspended)
		follow_resume(t);
}

bool virtual_mask_is_message(const siginfo_t *info)
{
	if (pending_trap_is_message(info))
		return true;
	/* without what it says: the user's queue is full (RLIMIT_SIGPENDING) */
	return info->si_code == SI_USER && !info->si_pid && virtual_masks() == VIRTUAL_MASKS_ENDING;
}

void virtual_mask_answer(struct trap_mask *m, uint64_t *blocked)
{
	if (virtual_mask_holds(m, *blocked)) {
		make_real(m);
		pending_trap_drop_ours(); /* asked twice */
		*blocked |= PENDING_TRAP_BIT;
	} else if (m->state == TRAP_MASK_VIRTUAL) {
		m->state = TRAP_MASK_OPEN;
	}
}

void virtual_mask_answer_later(uint64_t *blocked)
{
	syscall_signal_mask(SIG_BLOCK, PENDING_TRAP_BIT);
	send_message(syscall_tid());
	*blocked |= PENDING_TRAP_BIT;
}

void virtual_mask_keep(struct trap_mask *m, const siginfo_t *info, uint64_t *blocked)
{
	virtual_mask_make_real(m);
	*blocked |= PENDING_TRAP_BIT;
	if (pending_trap_is_for_process(info) && !process_is_excluded(&handler_state.process))
		virtual_mask_end_others();
	pending_trap_send_again(info);
}

uint64_t virtual_mask_at_handler(const struct trap_mask *m, uint64_t blocked)
{
	return m->waits && blocked == m->before ? m->waiting : blocked;
}

void virtual_mask_after_fork(void)
{
	if (handler_state.trap.virtual_masks == VIRTUAL_MASKS_ENDING)
		handler_state.trap.virtual_masks = VIRTUAL_MASKS_OVER;
}
