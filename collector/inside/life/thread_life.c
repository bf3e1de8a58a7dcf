/* SPDX-License-Identifier: MIT */
/* How a thread comes to be profiled, and how it ends. */
#include "collector/inside/life/process_life.h"

#include <errno.h>

#include "base/atomics.h"
#include "collector/engine/budget.h"
#include "collector/inside/handler/altstack.h"
#include "collector/inside/handler/descriptors.h"
#include "collector/inside/handler/follow.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/kernel/clock.h"
#include "collector/kernel/syscall.h"

#define LINE	      64u /* of the caches: no two threads share one */
#define SEGMENT_SLOTS 64u /* mapped at once */

void thread_init(struct arena *slots)
{
	arena_init(slots, (sizeof(struct thread) + LINE - 1) & ~(size_t)(LINE - 1), SEGMENT_SLOTS);
}

/* The events could not be had, or the memory for what comes with them. */
static void count_failed(struct process *p, int rc)
{
	process_count(p, COUNTER_THREADS_FAILED, 1);
	(void)atomic_swap_if(&p->file.header->refused, 0, -rc);
}

static bool take_free(struct thread *t)
{
	/* acquires the release in thread_end */
	return atomic_read_relaxed(&t->state) == THREAD_FREE &&
	       atomic_swap_if(&t->state, THREAD_FREE, THREAD_TAKEN);
}

/* The slot that is taken now, with its workspace; NULL without memory, or if it is too late. */
static struct thread *prepare_slot(struct process *p, struct thread *t, uint32_t i)
{
	uint32_t used;

	/* left for good: this was seen to be taken, or we see that (process_life.c,
	 * wait_for_taken) */
	if (process_is_excluded(p) || workspace_make(p, i)) {
		atomic_write_release(&t->state, THREAD_FREE);
		return NULL;
	}
	t->process = p;
	t->sampler.fd = t->break_fd = -1;
	while ((used = atomic_read_relaxed(&p->slots_used)) <= i)
		atomic_swap_if(&p->slots_used, used, i + 1);
	return t;
}

struct thread *thread_take(struct process *p)
{
	struct thread *t = NULL;
	uint32_t i = 0;

	/* acquires the release in make_memory: the process is still joining */
	if (!atomic_read_acquire(&p->made))
		return NULL;
	while (i < PROCESS_THREADS_MAX && (t = arena_make(&p->slots, i)) && !take_free(t))
		i++;
	t = t && i < PROCESS_THREADS_MAX ? prepare_slot(p, t, i) : NULL;
	if (!t)
		count_failed(p, -ENOMEM);
	return t;
}

void thread_move_descriptor(struct thread *t, int fd)
{
	if (t->sampler.fd == fd)
		t->sampler.fd = descriptors_move(fd);
	else if (t->break_fd == fd)
		t->break_fd = descriptors_move(fd);
}

static bool blocks_trap(uint32_t tid)
{
	const struct altstack_owner *o = atomic_read_relaxed(&handler_state.trap.masked)
						 ? altstack_of(tid)
						 : NULL;

	return o && o->trap.state == TRAP_MASK_REAL;
}

/* What a trace will cost: as those of the process before, or what the period allows. The first ones
 * are expensive, when nothing is decoded; from here on average, they delay later ones by what they
 * cost, and not by several times that. */
static uint64_t first_trace_ns(const struct process *p)
{
	uint64_t ns = atomic_read_relaxed(&p->file.header->costs.trace_ns);

	return ns ? ns : budget_first_ns(p->options.period, process_share(p));
}

/* Until the first sample. Where a program's first trace costs most of what is spent on it, as short
 * ones end before the next, its own interval pays for it. */
static uint64_t first_interval_ns(struct thread *t)
{
	const struct process *p = t->process;
	uint64_t ns = atomic_read_relaxed(&p->control->costs.first_ns);
	uint64_t interval_ns = thread_interval_ns(t);

	t->first_paid = p->options.budget && atomic_read_relaxed(&p->cold) && trusted_trace_ns(ns);
	return t->first_paid
		       ? budget_interval_ns(ns, process_share(p), interval_ns, BUDGET_ALL_COME)
		       : interval_ns;
}

void thread_prepare(struct thread *t, uint32_t tid)
{
	struct process *p = t->process;
	struct sampler_options sampling;

	t->tid = tid;
	t->drive = (struct drive){0};
	t->stopwatch = (struct stopwatch){0};
	t->spent_ns = 0;
	t->first = false;
	t->trace_ns = first_trace_ns(p);
	t->work = NULL;
	t->work_number = 0;
	t->nested = 0;
	t->sent.si_signo = 0;
	process_file_fit(p);
	t->buffer = (struct buffer){.file = &p->file, .pieces = &p->pieces, .hint = tid};
	sampling = event_sampler_options(&p->options.event, first_interval_ns(t),
					 tid * 0x9e3779b97f4a7c15u ^ (uintptr_t)t);
	sampler_prepare_unopened(&t->sampler, &sampling);
	t->taken_over = 0;
}

int thread_open(struct thread *t, uint64_t period)
{
	struct process *p = t->process;
	uint32_t tid = t->tid;
	int rc = thread_open_events(t, period);

	if (rc) {
		if (rc != -ESRCH) /* it has ended */
			count_failed(p, rc);
		thread_close_events(t);
		thread_give_back(t);
		return rc;
	}
	process_count(p, COUNTER_THREADS, 1);
	sampler_set_mean(&t->sampler, thread_interval_ns(t)); /* from the second on */
	/* From here on its own calls, and a process that gives up, may stop its sampler. */
	atomic_write_release(&t->state, THREAD_LIVE);
	t->sampling = THREAD_SAMPLED;
	if (blocks_trap(tid))
		thread_note_suspended(t);
	if (p->options.timers)
		t->begun_ns = clock_handler_ns(CLOCK_MONOTONIC);
	if (t->sampling == THREAD_SAMPLED)
		sampler_start(&t->sampler);
	return 0;
}

void thread_end_current(struct process *p)
{
	uint32_t tid = syscall_tid();

	for (uint32_t i = 0; i < p->slots_used; i++)
		if (thread_slot(p, i)->tid == tid) {
			late_clock_wait_for(thread_slot(p, i), tid);
			thread_end(thread_slot(p, i));
		}
}

void thread_end(struct thread *t)
{
	if (late_clock_end(t))
		return;
	/* Either the handler sees this state, or we see it busy: trap.c, on_trap. */
	if (!atomic_swap_if(&t->state, THREAD_LIVE, THREAD_TAKEN))
		return;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	while (__atomic_load_n(&t->busy, __ATOMIC_SEQ_CST))
		syscall_3(SYS_sched_yield, 0, 0, 0);
	sampler_stop(&t->sampler);
	sampler_drop_timer(&t->sampler);
	follow_give_up(t, false);
	thread_disable_breakpoint(t);
	thread_close_events(t);
	buffer_release(&t->buffer);
	late_clock_pass_on(t);
	thread_give_back(t);
}
