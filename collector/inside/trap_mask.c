/* SPDX-License-Identifier: MIT */
#include "collector/inside/trap_mask.h"

#include <stddef.h>
#include <string.h>

#include "base/atomics.h"
#include "collector/inside/altstack.h"
#include "collector/inside/follow.h"
#include "collector/inside/handler_state.h"
#include "collector/inside/pending_trap.h"
#include "collector/session/syscall.h"

#define TRAP PENDING_TRAP_BIT
/* Signals that no mask has: SIGKILL, SIGSTOP, and the two that libc keeps for itself. */
#define NEVER (1ull << 8 | 1ull << 18 | 1ull << 31 | 1ull << 32)
/* Of the 31 standard signals: who blocks so many does not mean SIGTRAP. */
#define STANDARD 0x7fffffffull
#define MANY	 16

/* ---- the kernel's mask --------------------------------------------------------------------- */

static uint64_t change_real(int how, uint64_t set)
{
	uint64_t before = 0;

	syscall_6(SYS_rt_sigprocmask, (uint64_t)how, (uintptr_t)&set, (uintptr_t)&before,
		  sizeof(set), 0, 0);
	return before;
}

static uint64_t real_mask(void)
{
	return change_real(SIG_BLOCK, 0);
}

static uint64_t word(const sigset_t *set)
{
	uint64_t mask;

	memcpy(&mask, set, sizeof(mask));
	return mask;
}

/* ---- whose --------------------------------------------------------------------------------- */

/* The calling thread's; or its parent's, if it is the child of a vfork. */
static struct altstack_owner *owner(bool *is_child)
{
	struct altstack_owner *o = altstack_current();

	*is_child = o && o->tid != (uint32_t)syscall_3(SYS_gettid, 0, 0, 0);
	return o;
}

static struct thread *own_thread(void)
{
	return thread_of(&handler_state.process, (uint32_t)syscall_3(SYS_gettid, 0, 0, 0));
}

static void mute(void)
{
	struct thread *t = own_thread();

	if (t)
		follow_mute(t);
}

static void unmute(void)
{
	struct thread *t = own_thread();

	if (t)
		follow_unmute(t);
}

static bool is_claimed(const struct trap_mask *m, uint64_t real)
{
	return m->state == TRAP_MASK_CLAIMED && !(real & TRAP) && (real & m->with) == m->with;
}

/* The child of a vfork has its parent's memory, but a mask of its own, which the kernel keeps. */
static void settle_child(struct trap_mask *m)
{
	uint32_t tid = (uint32_t)syscall_3(SYS_gettid, 0, 0, 0);

	if (m->child == tid)
		return;
	if (is_claimed(m, real_mask()))
		change_real(SIG_BLOCK, TRAP);
	m->child = tid;
}

/* ---- sigprocmask --------------------------------------------------------------------------- */

/* SIG_DFL and SIG_IGN are 0 and 1 */
static bool program_handles(void)
{
	return (uintptr_t)handler_state.trap.program.sa_sigaction > 1;
}

static bool is_meant(uint64_t mask)
{
	return program_handles() || __builtin_popcountll(mask & STANDARD) < MANY;
}

static uint64_t result(int how, uint64_t real, uint64_t set)
{
	return how == SIG_BLOCK ? real | set : how == SIG_UNBLOCK ? real & ~set : set;
}

static void claim(struct trap_mask *m, uint64_t mask)
{
	m->with = mask & ~(TRAP | NEVER);
	m->state = TRAP_MASK_CLAIMED;
	atomic_write_release(&handler_state.trap.masked, true);
}

/* The kernel's mask has SIGTRAP open, and is to have it blocked. */
static int block(struct trap_mask *m, uint64_t mask, trap_mask_call *next, int how,
		 const sigset_t *set, sigset_t *old)
{
	sigset_t without = *set;
	int rc;

	if (is_claimed(m, mask & ~TRAP) || !is_meant(mask)) {
		claim(m, mask);
		sigdelset(&without, SIGTRAP);
		return next(how, &without, old);
	}
	atomic_write_release(&handler_state.trap.masked, true);
	mute();
	m->state = TRAP_MASK_REAL;
	change_real(SIG_BLOCK, TRAP); /* claimed so far, and perhaps not in @set */
	rc = next(how, set, old);
	if (rc) {
		change_real(SIG_UNBLOCK, TRAP);
		unmute();
	}
	return rc;
}

/* It is blocked, as the kernel has it, and perhaps it is not to be. */
static int pass_real(struct trap_mask *m, bool open, trap_mask_call *next, int how,
		     const sigset_t *set, sigset_t *old)
{
	int rc;

	if (open && m->state == TRAP_MASK_REAL)
		m->state = TRAP_MASK_OPEN;
	rc = next(how, set, old); /* the program's handler may run in here, and not come back */
	if (open)
		unmute();
	return rc;
}

static int change(struct trap_mask *m, trap_mask_call *next, int how, const sigset_t *set,
		  sigset_t *old)
{
	uint64_t real = real_mask(), wanted;
	bool claimed = is_claimed(m, real);
	int rc;

	if (!(real & TRAP) && m->state == TRAP_MASK_REAL) { /* brought back by siglongjmp */
		m->state = TRAP_MASK_OPEN;
		unmute();
	}
	wanted = real | (claimed ? TRAP : 0);
	if (set)
		wanted = result(how, wanted, word(set));
	if (real & TRAP)
		return pass_real(m, !(wanted & TRAP), next, how, set, old);
	if (set && wanted & TRAP) {
		rc = block(m, wanted, next, how, set, old);
	} else {
		if (set)
			m->state = TRAP_MASK_OPEN;
		rc = next(how, set, old);
	}
	if (!rc && old && claimed)
		sigaddset(old, SIGTRAP);
	else if (!rc && old)
		sigdelset(old, SIGTRAP);
	return rc;
}

/* Of a thread with no stack of ours, where nothing can be noted: the kernel has its mask, and none
 * of ours may be pending while SIGTRAP is blocked. */
static int change_unnoted(trap_mask_call *next, int how, const sigset_t *set, sigset_t *old)
{
	int rc;

	if (set && result(how, real_mask(), word(set)) & TRAP)
		mute();
	rc = next(how, set, old);
	if (!(real_mask() & TRAP))
		unmute();
	return rc;
}

int trap_mask_change(trap_mask_call *next, int how, const sigset_t *set, sigset_t *old)
{
	struct altstack_owner *o;
	bool is_child;

	if (!handler_state.process.pid ||
	    (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) ||
	    (!atomic_read_relaxed(&handler_state.trap.masked) && (!set || !(word(set) & TRAP))))
		return next(how, set, old);
	o = owner(&is_child);
	if (o && !is_child)
		return change(&o->trap, next, how, set, old);
	if (!o)
		return change_unnoted(next, how, set, old);
	settle_child(&o->trap);
	return next(how, set, old);
}

/* ---- threads ------------------------------------------------------------------------------- */

bool trap_mask_is_inherited(uint64_t claimed)
{
	return claimed || real_mask() & TRAP;
}

void trap_mask_begin(uint64_t claimed)
{
	bool is_child;
	struct altstack_owner *o = owner(&is_child);
	uint64_t real = real_mask();

	if (!o || is_child || o->trap.state != TRAP_MASK_OPEN)
		return;
	if (!(real & TRAP)) {
		if (claimed)
			claim(&o->trap, claimed);
		return;
	}
	if (is_meant(real)) {
		atomic_write_release(&handler_state.trap.masked, true);
		o->trap.state = TRAP_MASK_REAL;
		return;
	}
	claim(&o->trap, real);
	change_real(SIG_UNBLOCK, TRAP);
}

uint64_t trap_mask_inherited(void)
{
	struct altstack_owner *o;
	bool is_child;

	if (!atomic_read_relaxed(&handler_state.trap.masked))
		return 0;
	o = owner(&is_child);
	return o && !is_child && is_claimed(&o->trap, real_mask()) ? o->trap.with | TRAP : 0;
}

void trap_mask_leave(void)
{
	struct altstack_owner *o;
	bool is_child;

	if (!atomic_read_relaxed(&handler_state.trap.masked))
		return;
	o = owner(&is_child);
	if (!o || is_child)
		return;
	if (is_claimed(&o->trap, real_mask()))
		change_real(SIG_BLOCK, TRAP);
	o->trap.state = TRAP_MASK_OPEN;
}

bool trap_mask_others_claim(void)
{
	return atomic_read_relaxed(&handler_state.trap.masked) && altstack_others_claim_trap();
}

/* ---- in the handler ------------------------------------------------------------------------ */

bool trap_mask_blocks(const struct trap_mask *m, uint64_t blocked)
{
	return is_claimed(m, blocked);
}

void trap_mask_keep(struct trap_mask *m, const siginfo_t *info, uint64_t *blocked)
{
	mute();
	m->state = TRAP_MASK_REAL;
	*blocked |= TRAP;
	pending_trap_send_again(info);
}

uint64_t trap_mask_at_handler(const struct trap_mask *m, uint64_t blocked)
{
	return m->waits && blocked == m->before ? m->waiting : blocked;
}

/* ---- calls that wait ----------------------------------------------------------------------- */

void trap_mask_await_begin(struct trap_mask_wait *w, const sigset_t *set)
{
	struct thread *t;

	*w = (struct trap_mask_wait){0};
	if (!handler_state.process.pid || (set && !(word(set) & TRAP)) || !(real_mask() & TRAP))
		return;
	t = own_thread();
	if (!t || t->muted)
		return;
	follow_mute(t);
	w->muted = true;
}

void trap_mask_wait_begin(struct trap_mask_wait *w, const sigset_t *mask)
{
	struct altstack_owner *o;
	struct thread *t;
	bool is_child;
	uint64_t real;

	*w = (struct trap_mask_wait){0};
	if (!mask || !handler_state.process.pid || process_is_refused(&handler_state.process) ||
	    (!atomic_read_relaxed(&handler_state.trap.masked) && !program_handles()))
		return;
	o = owner(&is_child);
	if (!o) { /* not yet, or not again: what @mask is has to be noted */
		altstack_enter();
		o = owner(&is_child);
	}
	t = o ? NULL : own_thread();
	if (is_child || (!o && !t))
		return;
	real = real_mask();
	w->mask = o ? &o->trap : &t->apart;
	w->lifted = !(word(mask) & TRAP) && is_claimed(w->mask, real);
	if (w->lifted)
		w->mask->state = TRAP_MASK_OPEN;
	w->mask->waiting = word(mask) & ~NEVER;
	w->mask->before = real;
	w->mask->waits = true;
}

void trap_mask_wait_end(const struct trap_mask_wait *w)
{
	if (w->muted)
		unmute();
	if (!w->mask)
		return;
	w->mask->waits = false;
	if (w->lifted && w->mask->state == TRAP_MASK_OPEN)
		w->mask->state = TRAP_MASK_CLAIMED;
}

/* ---- exec ---------------------------------------------------------------------------------- */

void trap_mask_exec_begin(struct trap_mask_exec *e)
{
	bool is_child;
	struct altstack_owner *o = owner(&is_child);
	struct thread *t = is_child ? NULL : own_thread();
	uint64_t real = real_mask();

	*e = (struct trap_mask_exec){.claimed = o && !is_child && is_claimed(&o->trap, real)};
	if (is_child)
		settle_child(&o->trap);
	if (t && !t->muted && (e->claimed || real & TRAP)) {
		follow_mute(t);
		e->muted = true;
	}
	if (e->claimed)
		change_real(SIG_BLOCK, TRAP);
}

void trap_mask_exec_failed(const struct trap_mask_exec *e)
{
	if (e->claimed) /* still noted; what came meanwhile is kept, again */
		change_real(SIG_UNBLOCK, TRAP);
	if (e->muted && !(e->claimed && real_mask() & TRAP))
		unmute();
}
