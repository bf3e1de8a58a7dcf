/* SPDX-License-Identifier: MIT */
#include "collector/inside/life/trap_mask.h"

#include <string.h>

#include "base/atomics.h"
#include "collector/inside/handler/altstack.h"
#include "collector/inside/handler/follow.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/handler/pending_trap.h"
#include "collector/inside/handler/virtual_mask.h"
#include "collector/inside/life/call_cost.h"
#include "collector/kernel/syscall.h"

#define TRAP PENDING_TRAP_BIT
/* Signals that no mask has, SIGKILL and SIGSTOP among them. */
#define NEVER (1ull << 8 | 1ull << 18 | TRAP_MASK_LIBC)
/* Of the 31 standard signals: who blocks so many does not mean SIGTRAP. */
#define STANDARD 0x7fffffffull
#define MANY	 16

/* ---- the kernel's mask --------------------------------------------------------------------- */

static uint64_t real_mask(void)
{
	return syscall_signal_mask(SIG_BLOCK, 0);
}

static uint64_t word(const sigset_t *set)
{
	uint64_t mask;

	memcpy(&mask, set, sizeof(mask));
	return mask;
}

/* ---- whose --------------------------------------------------------------------------------- */

/* Of the calling thread, as it was last found: ordinary code has it without a system call. Not
 * allocated lazily, as the program's handlers change masks too. */
static _Thread_local struct {
	struct altstack_owner *owner; /* while it is that of @tid */
	uint32_t tid;
	enum { OWN, UNTIL_ASKED, SHARED } use; /* by a child too: only the kernel can tell */
	uint32_t resumed;		       /* of struct trap's suspensions */
} here __attribute__((tls_model("initial-exec")));

/* The calling thread's; or its parent's, if it is the child of a vfork. */
static struct altstack_owner *owner(bool *is_child)
{
	struct altstack_owner *o = altstack_current();
	uint32_t tid = syscall_tid();

	*is_child = o && o->tid != tid;
	if (o && !*is_child) {
		here.owner = o;
		here.tid = tid;
		if (here.use == UNTIL_ASKED)
			here.use = OWN;
	}
	return o;
}

void trap_mask_before_child(bool waits)
{
	here.use = waits && here.use != SHARED ? UNTIL_ASKED : SHARED;
}

/* The child of a vfork has its parent's memory, but a mask of its own, which the kernel keeps. */
static void settle_child(struct trap_mask *m)
{
	uint32_t tid = syscall_tid();

	if (m->child == tid)
		return;
	if (virtual_mask_holds(m, real_mask()))
		syscall_signal_mask(SIG_BLOCK, TRAP);
	m->child = tid;
}

/* ---- sigprocmask --------------------------------------------------------------------------- */

/* SIG_DFL and SIG_IGN are 0 and 1 */
static bool program_handles(void)
{
	return (uintptr_t)handler_state.trap.program.sa_sigaction > 1;
}

/* Where it is one of so many, it is not meant in particular. */
static bool is_among_many(uint64_t mask)
{
	return __builtin_popcountll(mask & STANDARD) >= MANY;
}

static bool is_meant(uint64_t mask)
{
	return program_handles() || !is_among_many(mask) || virtual_mask_is_over();
}

static uint64_t result(int how, uint64_t real, uint64_t set)
{
	return how == SIG_BLOCK ? real | set : how == SIG_UNBLOCK ? real & ~set : set;
}

static void make_virtual(struct trap_mask *m, uint64_t mask)
{
	m->with = mask & ~(TRAP | NEVER);
	atomic_write_release(&handler_state.trap.masked, true);
	__atomic_store_n(&m->state, TRAP_MASK_VIRTUAL, __ATOMIC_SEQ_CST);
}

/* A virtual mask that was made while all of them ended is none. */
static void check_virtual(struct trap_mask *m)
{
	if (virtual_mask_is_over())
		virtual_mask_make_real(m);
}

/* The kernel's mask has SIGTRAP open, and is to have it blocked. */
static int block_trap(struct trap_mask *m, uint64_t mask, trap_mask_call *next, int how,
		      const sigset_t *set, sigset_t *old)
{
	bool is_virtual = virtual_mask_holds(m, real_mask());
	sigset_t without = *set;
	int rc;

	if (!is_meant(mask) || (virtual_mask_holds(m, mask & ~TRAP) && !virtual_mask_is_over())) {
		make_virtual(m, mask);
		sigdelset(&without, SIGTRAP);
		rc = next(how, &without, old);
		check_virtual(m);
		return rc;
	}
	atomic_write_release(&handler_state.trap.masked, true);
	if (!is_virtual)
		m->with = 0;
	virtual_mask_make_real(m); /* it was virtual so far, and perhaps not in @set */
	if (!is_among_many(mask))
		virtual_mask_end_others();
	rc = next(how, set, old);
	if (rc && !is_virtual) {
		m->state = TRAP_MASK_OPEN;
		syscall_signal_mask(SIG_UNBLOCK, TRAP);
		follow_resume_current();
	}
	return rc;
}

/* The kernel has it blocked, and so does the program. */
static void note_real(struct trap_mask *m)
{
	if (m->state == TRAP_MASK_REAL)
		return;
	m->with = 0;
	virtual_mask_make_real(m);
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
		follow_resume_current();
	return rc;
}

static int change_noted(struct trap_mask *m, trap_mask_call *next, int how, const sigset_t *set,
			sigset_t *old)
{
	uint64_t real = real_mask(), wanted;
	bool is_virtual = virtual_mask_holds(m, real);
	int rc;

	if (is_virtual && m->state == TRAP_MASK_REAL) { /* a mask from before came back */
		real |= syscall_signal_mask(SIG_BLOCK, TRAP) | TRAP;
	} else if (!(real & TRAP) && m->state == TRAP_MASK_REAL) { /* by siglongjmp */
		m->state = TRAP_MASK_OPEN;
		follow_resume_current();
	}
	/* by a handler's return, which may have found it open (sigsuspend) */
	if (real & TRAP && set && how != SIG_UNBLOCK && word(set) & TRAP)
		note_real(m);
	wanted = real | (is_virtual ? TRAP : 0);
	if (set)
		wanted = result(how, wanted, word(set));
	if (real & TRAP)
		return pass_real(m, !(wanted & TRAP), next, how, set, old);
	if (set && wanted & TRAP) {
		rc = block_trap(m, wanted, next, how, set, old);
	} else {
		if (set)
			m->state = TRAP_MASK_OPEN;
		rc = next(how, set, old);
	}
	if (!rc && old && is_virtual)
		sigaddset(old, SIGTRAP);
	else if (!rc && old)
		sigdelset(old, SIGTRAP);
	return rc;
}

static void suspend_unnoted(void)
{
	process_count_masked(&handler_state.process);
	follow_suspend_current();
}

/* Of a thread with no stack of ours, where nothing can be noted: the kernel has its mask, and none
 * of ours may be pending while SIGTRAP is blocked. */
static int change_unnoted(trap_mask_call *next, int how, const sigset_t *set, sigset_t *old)
{
	int rc;

	if (set && result(how, real_mask(), word(set)) & TRAP)
		suspend_unnoted();
	rc = next(how, set, old);
	if (!(real_mask() & TRAP))
		follow_resume_current();
	return rc;
}

static int change_timed(trap_mask_call *next, int how, const sigset_t *set, sigset_t *old)
{
	bool is_child;
	struct altstack_owner *o = owner(&is_child);

	if (o && !is_child)
		return change_noted(&o->trap, next, how, set, old);
	if (!o)
		return change_unnoted(next, how, set, old);
	settle_child(&o->trap);
	return next(how, set, old);
}

/* The kernel is to be asked about the mask before it is changed. */
static int change_asking(trap_mask_call *next, int how, const sigset_t *set, sigset_t *old)
{
	struct call_cost cost = call_cost_begin(CALL_COST_MASK);
	int rc = change_timed(next, how, set, old);

	call_cost_end(&cost);
	return rc;
}

/* ---- sigprocmask by no more than the program's own system call --------------------------------
 */

/*
 * Programs that change masks often (Scheme's call/cc does each time) pay for their own call alone.
 * It tells the kernel's mask before it; where that was not as it was taken to be, it is brought
 * back and the kernel is asked first. While SIGTRAP is really blocked, samples go on: one that
 * comes is late, and is taken away before the program could find it pending (follow_suspend).
 *
 * The call is made here, as libc makes it: at each return behind a system call, processors guess
 * wrong, and libc's has two. It costs what libc's does, and so counts for nothing (call_cost.h).
 */
struct quick_change {
	struct trap_mask *mask, before;
	trap_mask_call *next;
	int how;
	const sigset_t *set; /* NULL: only asked */
	uint64_t word;	     /* of it: libc may write @old over it */
	uint64_t wanted;     /* the mask that the program is to have, as far as it is known */
	uint64_t real;	     /* the kernel's, before */
};

/* NULL: the kernel is to be asked. */
static struct trap_mask *known_mask(void)
{
	struct altstack_owner *o = here.owner;

	return o && here.use == OWN && atomic_read_relaxed(&o->tid) == here.tid &&
			       handler_state.trap.keeps
		       ? &o->trap
		       : NULL;
}

/* Is the outcome known, unless a mask was changed behind our back? */
static bool is_foreseen(const struct trap_mask *m, int how, const sigset_t *set)
{
	uint64_t wanted = m->with | TRAP;

	if (m->waits || handler_state.trap.virtual_masks == VIRTUAL_MASKS_ENDING)
		return false;
	if (m->state != TRAP_MASK_VIRTUAL)
		return m->state == TRAP_MASK_OPEN || !m->with;
	if (set)
		wanted = result(how, wanted, word(set));
	return !(wanted & TRAP) || !is_meant(wanted);
}

/* The program's call, for the kernel with @mask. */
static inline bool make_call(struct quick_change *q, uint64_t mask, sigset_t *old)
{
	mask &= ~TRAP_MASK_LIBC;
	if (syscall_6(SYS_rt_sigprocmask, (uint64_t)q->how, q->set ? (uintptr_t)&mask : 0,
		      old ? (uintptr_t)old : (uintptr_t)&q->real, sizeof(mask), 0, 0))
		return false;
	if (old)
		q->real = word(old);
	return true;
}

/* libc says what is wrong with it. */
static int fail(const struct quick_change *q, sigset_t *old)
{
	*q->mask = q->before;
	return q->next(q->how, q->set, old);
}

/* The kernel's mask was not as it was taken to be: all again, from there. */
static int change_again(const struct quick_change *q, sigset_t *old)
{
	sigset_t set;

	memset(&set, 0, sizeof(set));
	memcpy(&set, &q->word, sizeof(q->word));
	syscall_signal_mask(SIG_SETMASK, q->real);
	*q->mask = q->before;
	return change_asking(q->next, q->how, q->set ? &set : NULL, old);
}

/* The mask behind the call is open: samples go on, if they had been suspended. */
static inline void resume_if_suspended(void)
{
	uint32_t suspensions = atomic_read_relaxed(&handler_state.trap.suspensions);

	if (here.resumed == suspensions)
		return;
	follow_resume_current();
	here.resumed = suspensions;
}

/* It was blocked virtually, or is to be. */
static int change_virtual(struct quick_change *q, sigset_t *old)
{
	struct trap_mask *m = q->mask;
	bool held;

	if (m->state == TRAP_MASK_VIRTUAL)
		m->with &= q->wanted;
	else
		make_virtual(m, q->wanted);
	if (!make_call(q, q->word & ~TRAP, old))
		return fail(q, old);
	held = virtual_mask_holds(&q->before, q->real);
	if (q->real & TRAP || held != (q->before.state == TRAP_MASK_VIRTUAL))
		return change_again(q, old);
	m->with = result(q->how, q->real, q->word) & ~(TRAP | NEVER);
	if (old && held)
		sigaddset(old, SIGTRAP);
	check_virtual(m);
	return 0;
}

/* The kernel is to have it blocked. */
static int change_real(struct quick_change *q, sigset_t *old)
{
	struct trap_mask *m = q->mask;
	uint64_t wanted;

	atomic_write_release(&handler_state.trap.masked, true);
	m->with = 0;
	m->state = TRAP_MASK_REAL;
	if (!make_call(q, q->word, old))
		return fail(q, old);
	wanted = result(q->how, q->real, q->word);
	if (!(wanted & TRAP)) { /* opened by siglongjmp */
		m->state = TRAP_MASK_OPEN;
		resume_if_suspended();
	} else if (!(q->real & TRAP) && !is_meant(wanted)) {
		return change_again(q, old);
	} else if (q->before.state != TRAP_MASK_REAL) {
		process_count_masked(&handler_state.process);
		if (!virtual_mask_is_over() && !is_among_many(wanted))
			virtual_mask_end_others();
	}
	return 0;
}

/* It is open behind the call, or as it was. */
static int change_open(struct quick_change *q, sigset_t *old)
{
	struct trap_mask *m = q->mask;
	uint64_t wanted;

	if (q->set && !(q->wanted & TRAP))
		m->state = TRAP_MASK_OPEN; /* the program's handler may not come back */
	if (!make_call(q, q->word, old))
		return fail(q, old);
	wanted = q->set ? result(q->how, q->real, q->word) : q->real;
	if (m->state == TRAP_MASK_REAL && !(q->real & TRAP))
		m->state = TRAP_MASK_OPEN; /* by siglongjmp */
	if (old && virtual_mask_holds(&q->before, q->real))
		sigaddset(old, SIGTRAP);
	if (!(wanted & TRAP) && m->state == TRAP_MASK_OPEN)
		resume_if_suspended();
	return 0;
}

static int change_foreseen(struct trap_mask *m, trap_mask_call *next, int how, const sigset_t *set,
			   sigset_t *old)
{
	uint64_t assumed = m->state == TRAP_MASK_OPEN ? 0 : m->with | TRAP;
	struct quick_change q = {.mask = m,
				 .before = *m,
				 .next = next,
				 .how = how,
				 .set = set,
				 .word = set ? word(set) : 0,
				 .wanted = set ? result(how, assumed, word(set)) : assumed};

	if (!set || !(q.wanted & TRAP))
		return change_open(&q, old);
	if (m->state == TRAP_MASK_VIRTUAL || (m->state == TRAP_MASK_OPEN && !is_meant(q.wanted)))
		return change_virtual(&q, old);
	return change_real(&q, old);
}

int trap_mask_change(trap_mask_call *next, int how, const sigset_t *set, sigset_t *old)
{
	struct trap_mask *m;

	if (!handler_state.process.pid ||
	    (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) ||
	    (!atomic_read_relaxed(&handler_state.trap.masked) && (!set || !(word(set) & TRAP))))
		return next(how, set, old);
	m = known_mask();
	if (m && is_foreseen(m, how, set))
		return change_foreseen(m, next, how, set, old);
	return change_asking(next, how, set, old);
}

/* ---- threads ------------------------------------------------------------------------------- */

bool trap_mask_is_inherited(void)
{
	return real_mask() & TRAP;
}

void trap_mask_begin(void)
{
	bool is_child;
	struct altstack_owner *o = owner(&is_child);
	uint64_t real = real_mask();

	if (!o || is_child || o->trap.state != TRAP_MASK_OPEN || !(real & TRAP))
		return;
	if (pending_trap_is_there()) /* across an exec: it stays where it is */
		virtual_mask_end_others();
	if (is_meant(real)) {
		atomic_write_release(&handler_state.trap.masked, true);
		o->trap.state = TRAP_MASK_REAL;
		process_count_masked(&handler_state.process);
		return;
	}
	make_virtual(&o->trap, real);
	syscall_signal_mask(SIG_UNBLOCK, TRAP);
	check_virtual(&o->trap);
}

void trap_mask_begin_unnoted(void)
{
	bool is_child;

	if (!owner(&is_child) && real_mask() & TRAP)
		suspend_unnoted();
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
	if (virtual_mask_holds(&o->trap, real_mask()))
		virtual_mask_make_real(&o->trap);
}

bool trap_mask_others_are_virtual(void)
{
	uint32_t first = 0;

	return atomic_read_relaxed(&handler_state.trap.masked) &&
	       altstack_other_in(TRAP_MASK_VIRTUAL, &first);
}

/* Samples that come while SIGTRAP is really blocked are not to be found from here on. True: one may
 * be pending in another thread. */
static bool end_keeping(void)
{
	uint32_t first = 0;

	if (!handler_state.trap.keeps)
		return false;
	handler_state.trap.keeps = false;
	if (!atomic_read_relaxed(&handler_state.trap.masked))
		return false;
	if (real_mask() & TRAP)
		follow_suspend_current();
	return altstack_other_in(TRAP_MASK_REAL, &first);
}

bool trap_mask_matters(const sigset_t *set)
{
	struct altstack_owner *o;
	bool is_child, others;

	if (process_is_excluded(&handler_state.process) || (set && !trap_mask_has(set)) ||
	    !handler_state_is_own())
		return false;
	others = end_keeping();
	if (set && is_among_many(word(set)))
		return others;
	o = owner(&is_child);
	if (o && !is_child && virtual_mask_holds(&o->trap, real_mask()))
		virtual_mask_make_real(&o->trap);
	else if (o && !is_child && real_mask() & TRAP)
		note_real(&o->trap);
	virtual_mask_end_others();
	return others;
}

/* ---- calls that wait ----------------------------------------------------------------------- */

static void suspend_waiting(struct trap_mask_wait *w)
{
	struct thread *t = thread_current();

	if (!t || t->sampling == THREAD_SUSPENDED)
		return;
	follow_suspend(t);
	w->suspended = true;
}

void trap_mask_await_begin(struct trap_mask_wait *w, const sigset_t *set)
{
	*w = (struct trap_mask_wait){0};
	if (handler_state.process.pid && (!set || word(set) & TRAP) && real_mask() & TRAP)
		suspend_waiting(w);
}

/* Is the program's mask of SIGTRAP ours to keep while it waits? Not before the program has blocked
 * or handled SIGTRAP once. */
static bool matters_while_waiting(void)
{
	return handler_state.process.pid && !process_is_excluded(&handler_state.process) &&
	       (atomic_read_relaxed(&handler_state.trap.masked) || program_handles());
}

/* Where the calling thread's mask is noted: in its alternate stack's owner, which it gets if it has
 * none yet; or in its slot, where the stack is one of the program's making. NULL: nowhere, or the
 * thread is the child of a vfork, whose mask the kernel keeps. */
static struct trap_mask *mask_while_waiting(void)
{
	bool is_child;
	struct altstack_owner *o = owner(&is_child);
	struct thread *t;

	if (!o) {
		altstack_enter();
		o = owner(&is_child);
	}
	if (o)
		return is_child ? NULL : &o->trap;
	t = thread_current();
	return t ? &t->apart : NULL;
}

void trap_mask_wait_begin(struct trap_mask_wait *w, const sigset_t *mask)
{
	uint64_t real;

	*w = (struct trap_mask_wait){0};
	if (!mask || !matters_while_waiting())
		return;
	w->mask = mask_while_waiting();
	if (!w->mask)
		return;
	real = real_mask();
	if (real & TRAP && !(word(mask) & TRAP))
		suspend_waiting(w); /* one that is pending would end the call */
	w->lifted = !(word(mask) & TRAP) && virtual_mask_holds(w->mask, real);
	w->state = w->mask->state;
	if (w->lifted)
		w->mask->state = TRAP_MASK_OPEN;
	w->mask->waiting = word(mask) & ~NEVER;
	w->mask->before = real;
	w->mask->waits = true;
}

void trap_mask_wait_end(const struct trap_mask_wait *w)
{
	if (w->suspended)
		follow_resume_current();
	if (!w->mask)
		return;
	w->mask->waits = false;
	if (w->state == TRAP_MASK_REAL && !w->lifted && real_mask() & TRAP)
		note_real(w->mask); /* a handler found it open, and asked */
	if (!w->lifted || w->mask->state != TRAP_MASK_OPEN)
		return;
	__atomic_store_n(&w->mask->state, w->state, __ATOMIC_SEQ_CST);
	if (w->state == TRAP_MASK_REAL)
		virtual_mask_make_real(w->mask);
	else
		check_virtual(w->mask);
}

/* ---- exec ---------------------------------------------------------------------------------- */

void trap_mask_exec_begin(struct trap_mask_exec *e)
{
	bool is_child;
	struct altstack_owner *o = owner(&is_child);
	struct thread *t = is_child ? NULL : thread_current();
	uint64_t real = real_mask();

	*e = (struct trap_mask_exec){.was_virtual = o && !is_child &&
						    virtual_mask_holds(&o->trap, real)};
	if (is_child)
		settle_child(&o->trap);
	if (t && t->sampling != THREAD_SUSPENDED && (e->was_virtual || real & TRAP)) {
		follow_suspend(t);
		e->suspended = true;
	}
	if (e->was_virtual)
		virtual_mask_make_real(&o->trap);
}

void trap_mask_exec_end(const struct trap_mask_exec *e)
{
	struct altstack_owner *o;
	bool is_child;

	if (!e->suspended)
		return;
	o = owner(&is_child);
	/* what came meanwhile is kept, again */
	if (e->was_virtual && o && !is_child && !virtual_mask_is_over()) {
		__atomic_store_n(&o->trap.state, TRAP_MASK_VIRTUAL, __ATOMIC_SEQ_CST);
		syscall_signal_mask(SIG_UNBLOCK, TRAP);
		check_virtual(&o->trap);
	}
	if (!(e->was_virtual && real_mask() & TRAP))
		follow_resume_current();
}

void trap_mask_create_begin(struct trap_mask_exec *e, bool own_mask)
{
	struct altstack_owner *o;
	bool is_child;

	*e = (struct trap_mask_exec){0};
	if (own_mask || !atomic_read_relaxed(&handler_state.trap.masked))
		return;
	o = owner(&is_child);
	if (o && !is_child && virtual_mask_holds(&o->trap, real_mask()))
		trap_mask_exec_begin(e);
}
