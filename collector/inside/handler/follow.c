/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler/follow.h"

#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <ucontext.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/handler/pending_trap.h"
#include "collector/inside/handler/process_file.h"
#include "collector/inside/handler/signal_delivery.h"
#include "collector/inside/handler/timed_segment.h"
#include "collector/engine/budget.h"
#include "collector/kernel/clock.h"
#include "collector/engine/shared_depth.h"
#include "collector/kernel/process_memory.h"
#include "collector/kernel/syscall.h"

static struct thread *thread_of_drive(struct drive *d)
{
	return (struct thread *)((char *)d - offsetof(struct thread, drive));
}

/* ---- the program's own signals ------------------------------------------------------------- */

/*
 * A signal handler of the program's may run between a stop and the end of what was foreseen there.
 * Look-ahead knows nothing of it: afterwards the interrupted code goes on as foreseen, unless the
 * handler wrote something that it reads. A handler is told by the signals that are blocked in it.
 */

/* Handlers between two stops that pass the breakpoint, before the trace is given up. */
#define IN_HANDLER_MOST 16u
/* Traces that are short after one that was given up: the next signal may come as soon. */
#define BACKOFF_TRACES 64u

static uint64_t blocked_in(const void *context)
{
	uint64_t mask;

	memcpy(&mask, &((const ucontext_t *)context)->uc_sigmask, sizeof(mask));
	return mask;
}

/* Is one about to run, when we return? */
static bool handler_waits(const struct thread *t)
{
	uint64_t pending = 0;

	syscall_3(SYS_rt_sigpending, (uintptr_t)&pending, sizeof(pending), 0);
	return (pending & ~t->blocked & ~PENDING_TRAP_BIT) != 0;
}

/* What was foreseen from here on, will it be? If not, the trace is dropped. */
static bool is_foreseeable(struct thread *t)
{
	if (t->drive.state == TRACE_AUDITED || !handler_waits(t))
		return true;
	process_count(t->process, COUNTER_SIGNALLED, 1);
	t->backoff = BACKOFF_TRACES;
	return false;
}

/* ---- the end of a trace -------------------------------------------------------------------- */

/* What calls and starts took so far leaves more or less to traces. */
static void keep_share(struct process *p)
{
	const struct session_options *o = &p->options;
	const uint64_t *c = p->file.header->counters;
	uint64_t others = c[COUNTER_CALL_TICKS] / 1024 * o->machine.tick_1024_ps / 1000;

	if (!o->budget_asked)
		return; /* rarer samples would make those no cheaper */
	others += c[COUNTER_START_NS];
	atomic_write_release(&p->share, budget_share(o->budget, others,
						     clock_handler_ns(CLOCK_PROCESS_CPUTIME_ID)));
}

static void take_cost(struct thread *t)
{
	struct process *p = t->process;

	t->trace_ns = budget_average_ns(t->trace_ns, t->spent_ns);
	t->spent_ns = 0;
	keep_share(p);
	atomic_write_release(&p->file.header->costs.trace_ns, t->trace_ns);
	sampler_set_mean(&t->sampler, thread_interval_ns(t));
}

/* A trace costs what it costs: samples get rarer until that is a small part of the time. */
static void keep_budget(struct thread *t)
{
	if (!t->process->options.budget)
		return;
	t->first = t->drive.core->trace.count && atomic_swap_if(&t->process->cold, 1, 0);
	if (!t->first)
		take_cost(t);
}

void follow_note_first(struct thread *t)
{
	t->first = false;
	atomic_write_release(&t->process->file.header->costs.first_ns, t->spent_ns);
	if (t->first_paid)
		t->spent_ns = 0;
	else
		take_cost(t);
}

/* The trace is over; what it holds is written unless it is wrong. */
static void end_trace(struct thread *t, bool right)
{
	thread_clear_breakpoint(t);
	thread_leave_breakpoint(t);
	if (right && drive_record(&t->drive))
		process_count(t->process, COUNTER_DROPPED, 1);
	workspace_count(t->work, t->process);
	keep_budget(t);
	cache_lines_restore(&t->work->lines);
	workspace_give_back(t->work);
	t->work = NULL;
	t->drive.core = NULL;
	t->drive.state = TRACE_IDLE;
}

/* The thread was found where the trace claimed, or elsewhere. */
static void learn_depth(struct thread *t, bool right)
{
	if (t->shared)
		shared_depth_learn(&t->process->shared_depth, right, t->process->options.depth);
}

/* Where the trace was to end, the thread did not pass: it went another way. Or it did in a
 * handler of the program's that it has not returned from. */
static bool missed_audit(struct thread *t)
{
	enum trace_state state = t->drive.state;
	bool missed = t->shared && (state == TRACE_AUDITING ||
				    (state == TRACE_DEFERRED && core_audits(t->drive.core)));

	if (missed)
		learn_depth(t, false);
	return missed;
}

/* Of a trace that could neither be timed nor audited, a loop that waits for another thread, say,
 * and of which nothing was run yet: is what it read as it was? */
static bool is_still_so(struct thread *t)
{
	return !t->shared || t->drive.armed || !t->work->reader.lines ||
	       t->drive.core->trace.count <= SHARED_DEPTH_LEAST ||
	       memory_reader_is_unchanged(&t->work->reader);
}

/* ---- struct core_backend ------------------------------------------------------------------- */

static bool set_breakpoint(struct drive *d, const struct core_action *action)
{
	struct thread *t = thread_of_drive(d);

	if (!thread_set_breakpoint(t, action->address, HW_BREAKPOINT_X, action->skip)) {
		process_count(t->process, COUNTER_NO_BREAKPOINT, 1);
		return false;
	}
	d->armed = true;
	/* It may never be hit (longjmp, a thread that is done). */
	sampler_guard(&t->sampler);
	/* not later: what the program runs now may unmap them */
	cache_lines_restore(&t->work->lines);
	return true;
}

static bool defer_finish(struct drive *d)
{
	struct thread *t = thread_of_drive(d);

	if (!timed_segment_is_wanted(t) || handler_waits(t))
		return false;
	if (!timed_segment_start(t) && (!is_still_so(t) || !timed_segment_interrupt(t)))
		return false;
	cache_lines_restore(&t->work->lines);
	return true;
}

static void end_foreseen(struct thread *t, bool right)
{
	end_trace(t, right && is_foreseeable(t));
	sampler_arm(&t->sampler);
}

static int finish(struct drive *d, bool right)
{
	struct thread *t = thread_of_drive(d);
	bool audited = d->state == TRACE_AUDITED, changed = right && !audited && !is_still_so(t);

	if (audited || changed)
		learn_depth(t, right && !changed);
	end_foreseen(t, right && !changed);
	return 0;
}

static void fill_sample(struct drive *d, struct trace_record_sample *sample)
{
	const struct thread *t = thread_of_drive(d);

	/* not the process's, which is 0 while its threads end their last traces (process_end) */
	*sample = (struct trace_record_sample){.pid = syscall_pid(),
					       .tid = t->tid,
					       .time = clock_handler_ns(CLOCK_MONOTONIC),
					       .period = t->waited};
	timed_segment_weigh(t, sample);
}

static void *reserve(struct drive *d, size_t bytes)
{
	return buffer_reserve(&thread_of_drive(d)->buffer, bytes);
}

static int publish(struct drive *d, void *record, size_t bytes)
{
	(void)record;
	buffer_publish(&thread_of_drive(d)->buffer, bytes);
	return 0;
}

static const struct core_backend backend = {
	.set_breakpoint = set_breakpoint,
	.defer_finish = defer_finish,
	.finish = finish,
	.fill_sample = fill_sample,
	.reserve = reserve,
	.publish = publish,
};

/* ---- stops --------------------------------------------------------------------------------- */

/* What handlers or other threads write meanwhile can't be foreseen. */
static unsigned depth(const struct thread *t)
{
	unsigned whole = t->process->options.depth;

	if (t->backoff)
		return whole > SHARED_DEPTH_LEAST ? SHARED_DEPTH_LEAST : whole;
	return t->shared ? shared_depth_of(&t->process->shared_depth, whole) : whole;
}

/* What other threads may write is foreseen no farther than it has to be. */
static void set_depth(struct thread *t)
{
	struct core_options *o = &t->work->core.options;

	o->depth = depth(t);
	/* a process that lives for one trace pays enough for it */
	o->depth_most = t->shared || t->backoff || atomic_read_relaxed(&t->process->cold)
				? 0
				: t->process->options.depth_most;
}

static void begin_reading(struct thread *t)
{
	struct process *p = t->process;

	t->shared = process_memory_is_shared() && !thread_is_alone(p);
	memory_reader_begin(&t->work->reader, t->shared || p->options.memory == MEMORY_READV);
}

static void begin_trace(struct thread *t, const void *context)
{
	struct process *p = t->process;

	t->work_number = t->work->number;
	t->stopwatch.ps = 0;
	t->stopwatch.interrupted = false;
	t->interval_ns = t->sampler.ended;
	t->drive.backend = &backend;
	t->drive.counters = p->file.header->counters;
	t->drive.stack = p->options.stack;
	t->drive.recorded = p->options.recorded;
	t->drive.filter = p->options.branches;
	t->drive.core = &t->work->core;
	t->drive.by_time = p->options.event.time;
	t->blocked = blocked_in(context);
	t->in_handler = 0;
	t->gaps = atomic_read_relaxed(&handler_state.trap.gaps);
	t->backoff -= t->backoff != 0;
	cache_lines_begin(&t->work->lines);
	begin_reading(t);
	if (t->work->reader.copy && p->options.correction)
		memory_reader_time_lines(&t->work->reader, rate_slow_more(&p->options.machine));
	set_depth(t);
	t->work->core.options.audit_untimed = t->shared && p->options.depth > SHARED_DEPTH_LEAST;
	isa_state_load_context(core_state(&t->work->core), context);
	t->drive.times = t->work->lines.times;
	t->drive.copy = t->work->copy.most ? &t->work->copy : NULL;
	if (t->drive.copy)
		stack_copy_take(t->drive.copy, core_state(&t->work->core), &t->work->reader);
	drive_begin(&t->drive, &t->work->reader.memory);
}

void follow_give_up(struct thread *t, bool stop)
{
	if (!t->work)
		return;
	if (t->miscounted)
		process_count(t->process, COUNTER_EARLY + CORE_CROSSED, 1);
	else if (t->drive.state == TRACE_TIMING)
		/* by now the segment is long over, or something else was run */
		timed_segment_count(t);
	else
		process_count(t->process, COUNTER_LOST, 1);
	end_trace(t, stop || !missed_audit(t));
}

/* The sampling event came while a trace is followed. False: the trace goes on. */
static bool interrupt_trace(struct thread *t, uint32_t state, const void *context)
{
	bool stop = state == SESSION_STOP;

	if (context)
		thread_note_signal(t, isa_state_context_pc(context));
	if (!stop && !t->miscounted && t->drive.state != TRACE_TIMING &&
	    !sampler_lost_patience(&t->sampler))
		return false;
	follow_give_up(t, stop);
	return true;
}

/* An event costs a thread 0.6 us at each switch (docs/tracing.md), half a percent of the time from
 * one to the next if that is: */
#define SWITCHES_APART_NS 100000u
/* One that is switched many times from one tick of the kernel to the next keeps step with none. */
#define SWITCHES_APART_WALL_NS 250000u

/* The thread took @time_ns so far. */
static bool is_switched_often(const struct thread *t, uint64_t time_ns)
{
	struct rusage usage = {0};
	uint64_t switches;

	syscall_3(SYS_getrusage, RUSAGE_THREAD, (uintptr_t)&usage, 0);
	switches = (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
	return switches * SWITCHES_APART_NS > time_ns &&
	       switches * SWITCHES_APART_WALL_NS > clock_handler_ns(CLOCK_MONOTONIC) - t->begun_ns;
}

/* While the kernel ran for the thread, none came. */
static void note_lag(struct thread *t)
{
	struct process *p = t->process;
	uint64_t now, before = t->sampler.fired_ns;
	uint32_t lag;

	if (!p->options.budget)
		return;
	now = t->sampler.fired_ns = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);
	if (p->options.timers && !t->sampler.by_timer && !t->work && is_switched_often(t, now))
		thread_use_timer(t);
	if (!before)
		return;
	lag = budget_lag(atomic_read_relaxed(&p->lag), now - before, t->sampler.period);
	atomic_write_release(&p->lag, lag);
	atomic_write_release(&p->file.header->costs.lag, lag);
}

/* A timer's sample may come there. */
static bool is_kernels(const struct thread *t, const void *context)
{
	return t->sampler.by_timer && context && isa_state_context_is_behind_system_call(context);
}

/* Is a sample to come that interrupts the thread behind its trace? */
static bool awaits_interrupt(const struct thread *t)
{
	return t->drive.state == TRACE_TIMING && t->stopwatch.interrupted;
}

/* A trace that was timed is over. */
static void end_timing(struct thread *t, enum timed_segment came)
{
	if (came == TIMED_SEGMENT_GOES_ON)
		return;
	/* elsewhere: not that it was foreseen wrongly, single threads have it too */
	if (came == TIMED_SEGMENT_OVER) {
		learn_depth(t, true);
		/* it ran what was foreseen: a handler that is about to run changes nothing */
		t->drive.state = TRACE_AUDITED;
	}
	end_foreseen(t, true);
}

/* The sample came that was to interrupt the thread. */
static void end_interrupt(struct thread *t, const void *context, bool late, uint64_t ticks)
{
	sampler_again(&t->sampler);
	if (late) {
		timed_segment_count(t);
		end_foreseen(t, true);
		return;
	}
	begin_reading(t);
	end_timing(t, timed_segment_interrupted(t, context, ticks));
}

void follow_sample(struct thread *t, const void *context, bool late, uint64_t ticks)
{
	struct process *p = t->process;
	uint32_t state = process_state(p);

	if (awaits_interrupt(t) && state != SESSION_STOP) {
		end_interrupt(t, context, late, ticks);
		return;
	}
	process_count(p, COUNTER_SAMPLES, 1);
	if (is_kernels(t, context) && state != SESSION_STOP) {
		process_count(p, COUNTER_KERNEL, 1);
		sampler_again(&t->sampler);
		return;
	}
	if (state != SESSION_STOP && sampler_came_again(&t->sampler)) {
		process_count(p, COUNTER_KERNEL, 1);
		return;
	}
	note_lag(t);
	sampler_fired(&t->sampler);
	if (t->drive.state != TRACE_IDLE && !interrupt_trace(t, state, context))
		return;
	if (state == SESSION_STOP) { /* for good: nothing of ours is left open */
		sampler_stop(&t->sampler);
		sampler_drop_timer(&t->sampler);
		thread_close_events(t);
		return;
	}
	if (late || state == SESSION_WAIT || isa_state_context_traps(context)) {
		process_count(p, COUNTER_LATE, late);
		process_count(p, COUNTER_SIGNALLED, !late && state != SESSION_WAIT);
		sampler_arm(&t->sampler);
		return;
	}
	t->waited = t->sampler.waited;
	t->sampler.waited = 0;
	t->work = process_file_own(p) ? workspace_take(p, t->work_number) : NULL;
	if (!t->work) {
		process_count(p, COUNTER_DROPPED, 1);
		sampler_arm(&t->sampler);
		return;
	}
	begin_trace(t, context);
}

/* ---- a breakpoint hit ---------------------------------------------------------------------- */

/* Was the breakpoint hit in a signal handler of the program's, perhaps? A system call may have
 * changed what is blocked, too; then the stack is where it should be. */
static bool is_in_handler(const struct thread *t, const void *context)
{
	return blocked_in(context) != t->blocked && !core_stack_agrees(t->drive.core);
}

/* Let it pass: the interrupted code comes to its own hit. The breakpoint stands meanwhile where the
 * handler returns, which may pass more often. */
static void defer_hit(struct thread *t)
{
	uint64_t restorer = signal_delivery_restorer();

	if (++t->in_handler <= IN_HANDLER_MOST && restorer &&
	    t->break_attr.sample_period == 1 && /* else its count is lost */
	    thread_set_breakpoint(t, restorer, HW_BREAKPOINT_X, 0)) {
		t->drive.state = TRACE_DEFERRED;
		return;
	}
	process_count(t->process, COUNTER_SIGNALLED, 1);
	t->backoff = BACKOFF_TRACES;
	end_trace(t, false);
	sampler_arm(&t->sampler);
}

/* The handler returns, perhaps into another one. */
static void return_from_handler(struct thread *t)
{
	t->drive.state = drive_awaits(&t->drive);
	if (!thread_set_breakpoint(t, t->drive.breakpoint, HW_BREAKPOINT_X, 0))
		finish(&t->drive, true);
}

/* The breakpoint that the core asked for was hit: the trace goes on from there. */
static void resume_trace(struct thread *t, const void *context)
{
	if (process_state(t->process) == SESSION_STOP) {
		end_trace(t, true);
		return;
	}
	if (isa_state_context_traps(context)) {
		finish(&t->drive, true);
		return;
	}
	begin_reading(t);
	t->blocked = blocked_in(context);
	t->in_handler = 0;
	drive_resume(&t->drive, &t->work->reader.memory);
}

static void hit_breakpoint(struct thread *t, const void *context, bool late)
{
	if (!late)
		isa_state_load_context(core_state(t->drive.core), context);
	if (!late && is_in_handler(t, context)) {
		defer_hit(t);
		return;
	}
	if (t->drive.state == TRACE_DEFERRED) /* neither there nor where the handler returns */
		t->drive.state = drive_awaits(&t->drive);
	switch (drive_hit(&t->drive, late)) {
	case DRIVE_SPURIOUS:
		if (!late)
			restartable_learn(&t->process->restartable, t->drive.breakpoint);
		finish(&t->drive, true);
		return;
	case DRIVE_SKIPPED:
		return;
	case DRIVE_STEPPING:
		drive_step(&t->drive);
		return;
	case DRIVE_AWAITED:
		resume_trace(t, context);
		return;
	}
}

/* A hit may be missing, or one that the kernel counted may be one too many: the trace ends. */
static bool end_doubtful(struct thread *t)
{
	bool missed = t->gaps != atomic_read_relaxed(&handler_state.trap.gaps);

	if (!missed && !t->miscounted)
		return false;
	if (!missed)
		process_count(t->process, COUNTER_EARLY + CORE_CROSSED, 1);
	finish(&t->drive, !missed);
	return true;
}

void follow_breakpoint(struct thread *t, const void *context, bool late, uint64_t ticks)
{
	process_count(t->process, COUNTER_HITS, 1);
	if (awaits_interrupt(t)) { /* of a trace before: this one has no breakpoint */
		thread_disable_breakpoint(t);
		return;
	}
	if (t->drive.state != TRACE_IDLE && end_doubtful(t))
		return;
	switch (t->drive.state) {
	case TRACE_IDLE:
		thread_disable_breakpoint(t);
		return;
	case TRACE_TIMING:
		end_timing(t, timed_segment_hit(t, context, late, ticks));
		return;
	case TRACE_DEFERRED:
		if (!late && isa_state_context_pc(context) == t->break_attr.bp_addr) {
			return_from_handler(t);
			return;
		}
		hit_breakpoint(t, context, late);
		return;
	case TRACE_AT_BREAKPOINT:
	case TRACE_AUDITING:
		hit_breakpoint(t, context, late);
		return;
	case TRACE_FOLLOWING: /* in a handler only: hits that come there are noted */
	case TRACE_AUDITED:
		return;
	}
}

/* ---- without signals ----------------------------------------------------------------------- */

static bool is_live(const struct thread *t)
{
	return __atomic_load_n(&t->state, __ATOMIC_SEQ_CST) == THREAD_LIVE;
}

static void follow_late(struct thread *t)
{
	uint32_t nested = __atomic_exchange_n(&t->nested, 0, __ATOMIC_SEQ_CST);

	if (!is_live(t) || t->sampling == THREAD_SUSPENDED)
		return;
	if (nested & THREAD_NESTED_SAMPLE)
		follow_sample(t, NULL, true, 0);
	if (nested & THREAD_NESTED_HIT)
		follow_breakpoint(t, NULL, true, 0);
}

bool follow_begin(struct thread *t)
{
	__atomic_store_n(&t->busy, 1, __ATOMIC_SEQ_CST);
	return is_live(t);
}

void follow_hold(struct thread *t)
{
	sampler_stop(&t->sampler);
	if (t->sampling == THREAD_SAMPLED)
		t->sampling = THREAD_HELD;
}

/* While busy: who gives the thread up stops it after us. */
static void release(struct thread *t)
{
	if (t->sampling != THREAD_HELD)
		return;
	t->sampling = THREAD_SAMPLED;
	if (is_live(t))
		sampler_start(&t->sampler);
}

void follow_end(struct thread *t)
{
	follow_late(t);
	release(t);
	__atomic_store_n(&t->busy, 0, __ATOMIC_RELEASE);
	while (__atomic_load_n(&t->nested, __ATOMIC_SEQ_CST)) {
		follow_begin(t);
		follow_late(t);
		release(t);
		__atomic_store_n(&t->busy, 0, __ATOMIC_RELEASE);
	}
}

/* The program's handlers could leave by longjmp. */
static bool begin_hold(struct thread *t, uint64_t *before)
{
	*before = syscall_signal_mask(SIG_BLOCK, ~PENDING_TRAP_BIT);
	return follow_begin(t);
}

static void end_hold(struct thread *t, uint64_t before)
{
	follow_end(t);
	syscall_signal_mask(SIG_SETMASK, before);
}

void follow_suspend(struct thread *t)
{
	uint64_t before;

	if (begin_hold(t, &before) && t->sampling != THREAD_SUSPENDED) {
		thread_note_suspended(t);
		sampler_stop(&t->sampler);
		thread_disable_breakpoint(t);
		t->nested = 0;
		if (before & PENDING_TRAP_BIT)
			pending_trap_drop_ours();
		if (awaits_interrupt(t)) /* nor is it to come when samples come again */
			sampler_again(&t->sampler);
		if (t->work) {
			process_count(t->process, COUNTER_SIGNALLED, 1);
			end_trace(t, false);
		}
	}
	end_hold(t, before);
}

void follow_resume_at_return(struct thread *t)
{
	uint64_t before;

	if (begin_hold(t, &before) && t->sampling == THREAD_SUSPENDED) {
		t->sampling = THREAD_SAMPLED;
		syscall_signal_mask(SIG_UNBLOCK, PENDING_TRAP_BIT);
		sampler_start(&t->sampler);
	}
	follow_end(t);
}

void follow_resume(struct thread *t)
{
	uint64_t before;

	if (begin_hold(t, &before) && t->sampling == THREAD_SUSPENDED) {
		t->sampling = THREAD_SAMPLED;
		sampler_start(&t->sampler);
	}
	end_hold(t, before);
}

void follow_suspend_current(void)
{
	struct thread *t = thread_current();

	if (t)
		follow_suspend(t);
}

void follow_resume_current(void)
{
	struct thread *t = thread_current();

	if (t)
		follow_resume(t);
}
