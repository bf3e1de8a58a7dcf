/* SPDX-License-Identifier: MIT */
/*
 * A clock costs a thread 25 us, and many threads live for less. Where a process makes many, a new
 * one waits for its clock: a thread of ours looks at the process's threads each few milliseconds,
 * and gives one to those that it finds for the second time. It ends when it has found nobody
 * waiting, and new, for a while.
 *
 * A sample that was due before is not lost, and nothing counts for less: when a thread has lived
 * without a clock up to the moment of its sample, the next one that begins with the same routine
 * gets a clock at once, and that sample, at the same moment of its life. So as many samples come of
 * each moment as if each thread had had its own.
 */
#include "collector/inside/life/process_life.h"

#include <sys/prctl.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/kernel/clock.h"
#include "collector/kernel/syscall.h"

/* So many threads get their clocks at once. */
#define AT_ONCE 16u
/* So many may wait at a time: who starts hundreds at once has use for them. */
#define WAITING_MOST 16u
/* Between two looks, of which so many find nobody. */
#define LOOK_NS	    4000000u
#define LOOKS_ALONE 2u
/* About what it takes to give one. */
#define GIVING_NS 20000u
/* In so much time it ends, if it does. */
#define RETIRES_MS 100u
/* So many threads may end before a sample that they took over. */
#define TRIES_MOST 8u

/* ---- samples that were missed ---------------------------------------------------------------- */

static void add_missed(struct process *p, const struct missed_sample *m)
{
	struct late_clocks *l = &p->late;
	uint64_t before;

	if (m->tries >= TRIES_MOST)
		return;
	before = rwlock_write(&l->lock);
	if (l->count < MISSED_SAMPLES_MOST) {
		l->missed[l->count] = *m;
		atomic_write_relaxed(&l->count, l->count + 1);
	}
	rwlock_write_end(&l->lock, before);
}

static uintptr_t kind_of(const struct thread *t)
{
	return t->start ? (uintptr_t)t->start : (uintptr_t)t->c11_start;
}

/* The sample number @i, if it is one for @t. */
static bool take_over(struct thread *t, const struct late_clocks *l, uint32_t i)
{
	const struct missed_sample *m = &l->missed[i];

	if (m->kind != kind_of(t) || !sampler_take_over(&t->sampler, m->moment))
		return false;
	t->taken_over = m->moment;
	t->tries = m->tries + 1;
	return true;
}

/* Is there one for @t? */
static bool take_missed(struct thread *t)
{
	struct late_clocks *l = &t->process->late;
	uint64_t before;
	uint32_t i = 0;

	if (!atomic_read_relaxed(&l->count))
		return false;
	before = rwlock_write(&l->lock);
	while (i < l->count && !take_over(t, l, i))
		i++;
	if (i < l->count) {
		l->missed[i] = l->missed[l->count - 1];
		atomic_write_relaxed(&l->count, l->count - 1);
	}
	rwlock_write_end(&l->lock, before);
	return t->taken_over;
}

/* The thread took @passed ns so far. */
static void note_missed(struct thread *t, uint64_t passed)
{
	struct missed_sample m = {.kind = kind_of(t)};

	while ((m.moment = sampler_missed(&t->sampler, passed)))
		add_missed(t->process, &m);
}

void late_clock_pass_on(struct thread *t)
{
	const struct missed_sample m = {t->taken_over, kind_of(t), t->tries};

	if (t->taken_over && !t->sampler.ended)
		add_missed(t->process, &m);
}

/* ---- our thread ------------------------------------------------------------------------------ */

/* What the clock of the thread's processor time says, by its number (include/linux/posix-timers.h);
 * 0: it is gone. */
static uint64_t used_ns(const struct thread *t)
{
	return clock_handler_ns((int)(~t->tid << 3 | 6u));
}

static void give_clock(struct thread *t)
{
	uint64_t used = used_ns(t), passed = used - t->began_at;

	if (!used) {
		thread_give_back(t);
		return;
	}
	note_missed(t, passed);
	t->process->late.open(t, sampler_skip(&t->sampler, passed));
}

static bool waits(const struct thread *t)
{
	return __atomic_load_n(&t->state, __ATOMIC_SEQ_CST) == THREAD_WAITING;
}

/* Does it wait, and is it the caller's now? */
static bool stop_waiting(struct thread *t)
{
	if (!atomic_swap_if(&t->state, THREAD_WAITING, THREAD_TAKEN))
		return false;
	atomic_add_relaxed(&t->process->late.waiting, -1u);
	return true;
}

/* Is @t waiting still? */
static bool look_at(struct thread *t)
{
	if (!waits(t))
		return false;
	if (!t->seen) {
		t->seen = true;
		return true;
	}
	if (stop_waiting(t))
		give_clock(t);
	return false;
}

static bool look_at_all(struct process *p)
{
	uint32_t count = atomic_read_acquire(&p->slots_used);
	bool waiting = false;

	for (uint32_t i = 0; i < count; i++)
		waiting |= look_at(thread_slot(p, i));
	return waiting;
}

static bool is_in_recording(const struct process *p)
{
	return p->pid && !process_is_excluded(p) && process_state(p) != SESSION_STOP;
}

/* A thread that begins sees us awake, or we see it waiting. */
static bool may_end(struct process *p)
{
	uint32_t count;
	bool waiting = false;

	__atomic_store_n(&p->late.awake, LATE_CLOCKS_NONE, __ATOMIC_SEQ_CST);
	count = atomic_read_acquire(&p->slots_used);
	for (uint32_t i = 0; i < count; i++)
		waiting |= waits(thread_slot(p, i));
	return !waiting || !is_in_recording(p) ||
	       !atomic_swap_if(&p->late.awake, LATE_CLOCKS_NONE, LATE_CLOCKS_AWAKE);
}

/* What it takes is a part of what starts cost. */
static uint64_t count_time(struct process *p, uint64_t before)
{
	uint64_t now = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);

	process_count(p, COUNTER_START_NS, now - before);
	return now;
}

static int run_late_clocks(void *process)
{
	struct process *p = process;
	uint64_t used = 0;
	unsigned alone = 0;

	syscall_3(SYS_prctl, PR_SET_NAME, (uintptr_t) "softlbr", 0);
	do {
		clock_sleep_ns(LOOK_NS);
		if (!is_in_recording(p))
			alone = LOOKS_ALONE;
		else if (look_at_all(p) ||
			 __atomic_exchange_n(&p->late.wanted, 0, __ATOMIC_RELAXED))
			alone = 0;
		else
			alone++;
		if (is_in_recording(p))
			used = count_time(p, used);
	} while (alone < LOOKS_ALONE || !may_end(p));
	return 0;
}

static bool is_awake(const struct process *p)
{
	return __atomic_load_n(&p->late.awake, __ATOMIC_SEQ_CST) == LATE_CLOCKS_AWAKE;
}

/* False if there is no such thread, and nobody is to wait for it: others, too, which come while it
 * is started. One that has nothing left to do but to end is not waited for either. */
static bool wake(struct process *p)
{
	struct late_clocks *l = &p->late;

	__atomic_store_n(&l->wanted, 1, __ATOMIC_SEQ_CST);
	if (is_awake(p))
		return true;
	if (atomic_read_acquire(&l->tid) ||
	    !atomic_swap_if(&l->awake, LATE_CLOCKS_NONE, LATE_CLOCKS_STARTED))
		return false;
	if (own_thread_start(p, run_late_clocks, &l->stack, &l->tid)) {
		atomic_write_release(&l->awake, LATE_CLOCKS_NONE);
		return false;
	}
	return atomic_swap_if(&l->awake, LATE_CLOCKS_STARTED, LATE_CLOCKS_AWAKE);
}

void late_clock_leave(struct process *p)
{
	/* cleared by the kernel at its end (CLONE_CHILD_CLEARTID, clone(2)) */
	while (atomic_read_acquire(&p->late.tid))
		quiescence_sleep();
}

void late_clock_retire(struct process *p)
{
	for (unsigned i = 0; i < RETIRES_MS && atomic_read_acquire(&p->late.tid); i++) {
		if (!thread_is_alone(p))
			return;
		quiescence_sleep();
	}
}

void late_clock_after_fork(struct process *p)
{
	struct late_clocks *l = &p->late;

	/* the parent's: but for the stack, on which nobody is here */
	l->tid = l->awake = l->wanted = l->begun = l->waiting = l->count = 0;
	l->lock = (struct rwlock){0};
}

/* ---- threads that wait ----------------------------------------------------------------------- */

/* Only of a clock the next sample's time is known. */
static bool is_possible(const struct process *p)
{
	return p->options.event.time && !p->options.event.asynchronous && is_in_recording(p) &&
	       !atomic_read_relaxed(&p->paused);
}

bool late_clock_may_wait(struct thread *t, void (*open)(struct thread *t, uint64_t period))
{
	struct process *p = t->process;

	if (!is_possible(p) || atomic_add_relaxed(&p->late.begun, 1) < AT_ONCE ||
	    atomic_read_relaxed(&p->late.waiting) >= WAITING_MOST || take_missed(t))
		return false;
	t->began_at = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);
	t->seen = false;
	p->late.open = open;
	if (!wake(p))
		return false;
	/* From here on no system call is made: the process may be left. It has ended since,
	 * perhaps, and then the slot is taken back, if nobody else has it. */
	atomic_add_relaxed(&p->late.waiting, 1);
	__atomic_store_n(&t->state, THREAD_WAITING, __ATOMIC_SEQ_CST);
	return is_awake(p) || !stop_waiting(t);
}

void late_clock_wait_for(const struct thread *t, uint32_t tid)
{
	/* who gives it may be of a lower priority, on one processor with us: no yield helps */
	while (atomic_read_acquire(&t->state) == THREAD_TAKEN &&
	       atomic_read_relaxed(&t->tid) == tid)
		clock_sleep_ns(GIVING_NS);
}

bool late_clock_end(struct thread *t)
{
	if (!stop_waiting(t))
		return false;
	note_missed(t, used_ns(t) - t->began_at);
	process_count(t->process, COUNTER_THREADS, 1);
	process_count(t->process, COUNTER_THREADS_BRIEF, 1);
	thread_give_back(t);
	return true;
}
