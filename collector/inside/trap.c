/* SPDX-License-Identifier: MIT */
/*
 * The signal handler of the in-process backend. Everything that is reached from on_trap calls only
 * this library's own code: a breakpoint may stand anywhere else.
 */
#include "collector/inside/trap.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "base/atomics.h"
#include "collector/inside/handler_state.h"
#include "collector/inside/signal_delivery.h"
#include "collector/session/trace_record.h"
#include "collector/inside/altstack.h"
#include "collector/session/clock.h"
#include "collector/session/syscall.h"
#include "isa/ticks.h"

/* include/uapi/asm-generic/siginfo.h; glibc 2.36 has no names for these. */
#define CODE_PERF  6
#define FLAG_ASYNC 1u

struct perf_siginfo {
	int32_t signo, error, code, padding;
	uint64_t address;
	uint64_t data;
	uint32_t type, flags;
};

/* Of a thread's stops so many first ones are timed, which are the slowest, then one in so many. */
#define TIMED_STOPS 16u

/* Of a stop, what happens outside of the handler. */
#define STOP_NS 16000u
/* Taken branches per trace where other threads share the memory. */
#define SHARED_DEPTH 64u

static void disarm_breakpoint(struct thread *t)
{
	if (!t->tracing)
		return;
	t->tracing = false;
	syscall_3(SYS_ioctl, (uint64_t)t->break_fd, PERF_EVENT_IOC_DISABLE, 0);
}

static bool set_breakpoint(struct thread *t, uint64_t address, uint32_t type)
{
	t->break_attr.bp_addr = address;
	t->break_attr.bp_type = type;
	t->break_attr.disabled = 0;
	return syscall_3(SYS_ioctl, (uint64_t)t->break_fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
			 (uintptr_t)&t->break_attr) == 0;
}

/* The trace's branches per time, times the distance of samples; 0 = not known. */
static uint64_t weight(const struct thread *t)
{
	struct rate_work work = {.branches = t->work->core.trace.count,
				 .instructions = t->work->core.counters.evaluated -
						 t->work->evaluated,
				 .lines = t->work->lines.slow};

	const struct session_options *o = &t->process->options;

	if (!o->rates || t->work->reader.copy)
		return 0;
	return rate_weight(work.branches,
			   stopwatch_path_ps(&t->stopwatch, &work, &o->machine,
					     &t->process->file.header->costs.empties),
			   t->distance_ns);
}

/* The branches [begin,end) of the trace, newest first, as a perf.data record. */
static bool write_record(struct thread *t, const struct recording_sample *sample, unsigned begin,
			 unsigned end)
{
	size_t bytes = perfdata_sample_bytes(end - begin);
	void *room = buffer_reserve(&t->buffer, bytes);

	if (!room)
		return false;
	trace_record_put(room, sample, &t->work->core.trace, begin, end);
	buffer_publish(&t->buffer, bytes);
	return true;
}

/* A trace longer than a record's stack is cut; the parts share the time and repeat one entry, so
 * that the range between them is kept (design.md, "Stacks in perf.data"). */
static void write_trace(struct thread *t)
{
	unsigned most = t->process->options.stack, count = t->work->core.trace.count, begin = 0,
		 end;
	struct recording_sample sample = {.pid = t->process->pid,
					  .tid = t->tid,
					  .time = clock_handler_ns(CLOCK_MONOTONIC),
					  .period = t->waited,
					  .weight = weight(t)};

	if (!count)
		return;
	do {
		end = count - begin > most ? begin + most : count;
		if (!write_record(t, &sample, begin, end)) {
			process_count(t->process, COUNTER_DROPPED, 1);
			return;
		}
		begin = end - 1;
	} while (end < count);
	process_count(t->process, COUNTER_TRACES, 1);
	process_count(t->process, COUNTER_BRANCHES, count);
}

/* ---- the stopwatch: breakpoints around a stretch of a trace that is complete ----------------- */

static bool await_landmark(struct thread *t)
{
	const struct landmark *l = stopwatch_awaits(&t->stopwatch);

	t->tracing = set_breakpoint(t, l->address,
				    l->kind == LANDMARK_CODE ? HW_BREAKPOINT_X : HW_BREAKPOINT_RW);
	t->stopwatch.running = t->tracing;
	return t->tracing;
}

static bool start_stopwatch(struct thread *t)
{
	struct process *p = t->process;

	if (p->options.rates != RATES_PROBE || t->work->core.stopped ||
	    !stopwatch_start(&t->stopwatch, &t->work->core, &p->file.header->costs.empties) ||
	    !await_landmark(t))
		return false;
	process_count(p, COUNTER_PROBES, 1);
	sampler_guard(&t->sampler);
	return true;
}

/* A trace costs what it costs: samples get rarer until that is a small part of the time. */
static void keep_budget(struct thread *t)
{
	struct process *p = t->process;

	if (!p->options.rates)
		return;
	t->trace_ns = t->trace_ns ? (7 * t->trace_ns + t->spent_ns) / 8 : t->spent_ns;
	t->spent_ns = 0;
	atomic_write_release(&p->file.header->costs.trace_ns, t->trace_ns);
	sampler_set_mean(&t->sampler, thread_distance_ns(t));
}

/* ---- traces ---------------------------------------------------------------------------------- */

/* The trace is over; what it holds is written unless it is wrong. */
static void end_trace(struct thread *t, bool right)
{
	disarm_breakpoint(t);
	t->stopwatch.running = false;
	if (right)
		write_trace(t);
	workspace_count(t->work, t->process);
	keep_budget(t);
	cache_lines_restore(&t->work->lines);
	workspace_give_back(t->work);
	t->work = NULL;
}

static void finish(struct thread *t, bool right)
{
	end_trace(t, right);
	sampler_arm(&t->sampler);
}

static void act(struct thread *t, struct core_action action)
{
	if (action.verdict == CORE_BREAK) {
		if (set_breakpoint(t, action.address, HW_BREAKPOINT_X)) {
			process_count(t->process, COUNTER_BREAKPOINTS, 1);
			t->tracing = true;
			t->skip = action.skip;
			/* It may never be hit (longjmp, a thread that is done). */
			sampler_guard(&t->sampler);
			/* not later: what the program runs now may unmap them */
			cache_lines_restore(&t->work->lines);
			return;
		}
		process_count(t->process, COUNTER_NO_BREAKPOINT, 1);
	} else if (action.verdict != CORE_COMPLETE) {
		process_count(t->process, COUNTER_EARLY + action.reason, 1);
	} else if (start_stopwatch(t)) {
		cache_lines_restore(&t->work->lines);
		return;
	}
	finish(t, action.verdict != CORE_DROP);
}

/* A landmark's breakpoint was hit. @ticks: when its signal came. */
static void on_landmark(struct thread *t, const void *context, bool late, uint64_t ticks)
{
	struct process *p = t->process;
	struct stopwatch *w = &t->stopwatch;
	uint64_t cpu_ns = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);

	if (late || !landmark_is_at(stopwatch_awaits(w), isa_state_context_pc(context))) {
		process_count(p, COUNTER_PROBES_ASTRAY, 1);
	} else if (!w->second) {
		w->second = true;
		w->cpu_ns = cpu_ns;
		if (await_landmark(t))
			return;
	} else {
		stopwatch_stop(w, (ticks - w->ticks) * p->options.machine.tick_1024_ps / 1024,
			       cpu_ns - w->cpu_ns, &p->file.header->costs.empties);
		process_count(p, COUNTER_PROBES_TIMED, w->ps != 0);
	}
	finish(t, true);
}

/* What other threads write meanwhile can't be foreseen. */
static unsigned depth(const struct thread *t)
{
	const struct session_options *o = &t->process->options;

	return o->rates && t->work->reader.copy && o->depth > SHARED_DEPTH ? SHARED_DEPTH
									   : o->depth;
}

static void on_sample(struct thread *t, const void *context, bool late)
{
	struct process *p = t->process;
	uint32_t state = process_state(p);

	process_count(p, COUNTER_SAMPLES, 1);
	sampler_fired(&t->sampler);
	if (t->stopwatch.running) {
		/* by now the stretch is long over, or something else was run */
		process_count(p, COUNTER_PROBES_ASTRAY, 1);
		end_trace(t, true);
	} else if (t->tracing) {
		if (state != SESSION_STOP && !sampler_lost_patience(&t->sampler))
			return;
		process_count(p, COUNTER_LOST, 1);
		end_trace(t, true);
	}
	if (state == SESSION_STOP) { /* for good: nothing of ours is left open */
		sampler_stop(&t->sampler);
		thread_close_events(t);
		return;
	}
	if (late || state == SESSION_WAIT) {
		process_count(p, COUNTER_LATE, late);
		sampler_arm(&t->sampler);
		return;
	}
	t->waited = t->sampler.waited;
	t->sampler.waited = 0;
	t->work = workspace_take(p, t->work_number);
	if (!t->work) {
		process_count(p, COUNTER_DROPPED, 1);
		sampler_arm(&t->sampler);
		return;
	}
	t->work_number = t->work->number;
	t->work->evaluated = t->work->core.counters.evaluated;
	t->stopwatch.ps = 0;
	t->distance_ns = t->sampler.mean;
	cache_lines_begin(&t->work->lines);
	memory_reader_begin(&t->work->reader, p->options.memory);
	t->work->core.options.depth = depth(t);
	isa_state_load_context(core_state(&t->work->core), context);
	act(t, core_begin(&t->work->core, &t->work->reader.memory));
}

static void on_breakpoint(struct thread *t, const void *context, bool late, uint64_t ticks)
{
	struct process *p = t->process;

	process_count(p, COUNTER_HITS, 1);
	if (!t->tracing) {
		syscall_3(SYS_ioctl, (uint64_t)t->break_fd, PERF_EVENT_IOC_DISABLE, 0);
		return;
	}
	if (t->stopwatch.running) {
		on_landmark(t, context, late, ticks);
		return;
	}
	isa_state_load_context(core_state(&t->work->core), context);
	if (late || isa_state_pc(core_state(&t->work->core)) != t->break_attr.bp_addr) {
		process_count(p, COUNTER_STRAY, 1);
		if (!late)
			restartable_learn(&p->restartable, t->break_attr.bp_addr);
		finish(t, true);
		return;
	}
	if (t->skip) {
		process_count(p, COUNTER_PASSED, 1);
		t->skip--;
		return;
	}
	if (process_state(p) == SESSION_STOP) {
		end_trace(t, true);
		return;
	}
	memory_reader_begin(&t->work->reader, p->options.memory);
	act(t, core_resume(&t->work->core, &t->work->reader.memory));
}

static void die_of_trap(void)
{
	uint64_t unblock = 1ull << (SIGTRAP - 1);
	uint64_t pid = (uint64_t)syscall_3(SYS_getpid, 0, 0, 0);

	/* the kernel's struct: handler, flags, restorer, mask; all zero = default */
	uint64_t kernel_action[4] = {0};

	syscall_6(SYS_rt_sigaction, SIGTRAP, (uintptr_t)kernel_action, 0, 8, 0, 0);
	syscall_3(SYS_tgkill, pid, (uint64_t)syscall_3(SYS_gettid, 0, 0, 0), SIGTRAP);
	syscall_6(SYS_rt_sigprocmask, SIG_UNBLOCK, (uintptr_t)&unblock, 0, 8, 0, 0);
}

/* A SIGTRAP that is the program's own: its handler runs as it would without us. */
static void forward(int number, siginfo_t *info, ucontext_t *context)
{
	struct sigaction action = handler_state.trap.program;
	uint64_t mask, blocked;

	if (action.sa_handler == SIG_DFL) {
		die_of_trap();
		return;
	}
	if (action.sa_handler == SIG_IGN)
		return;
	if (action.sa_flags & SA_RESETHAND)
		handler_state.trap.program.sa_handler = SIG_DFL;
	memcpy(&mask, &action.sa_mask, sizeof(mask));
	memcpy(&blocked, &context->uc_sigmask, sizeof(blocked));
	mask |= blocked;
	if (!(action.sa_flags & SA_NODEFER))
		mask |= 1ull << (SIGTRAP - 1);
	signal_delivery_pass_on(action.sa_sigaction, action.sa_flags & SA_ONSTACK, &mask, number,
				info, context);
}

static void handle(struct thread *t, const struct perf_siginfo *perf, const void *context,
		   uint64_t ticks)
{
	bool late = perf->flags & FLAG_ASYNC;

	if (perf->data & TRAP_BREAKPOINT)
		on_breakpoint(t, context, late, ticks);
	else
		on_sample(t, context, late);
	if (t->work)
		cache_lines_restore(&t->work->lines);
}

/* The clock costs a microsecond: this stop stands for @weight of them. */
static void handle_timed(struct thread *t, const struct perf_siginfo *perf, const void *context,
			 uint64_t ticks, uint64_t weight)
{
	uint64_t begin = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID), ns;

	handle(t, perf, context, ticks);
	ns = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	t->spent_ns += ns + STOP_NS;
	process_count(t->process, COUNTER_HANDLER_NS, ns * weight);
}

/* An asynchronous signal (event.h) names a descriptor at most: @perf is made to say what sigtrap's
 * would. Its thread may be given up by now. */
static void translate(struct perf_siginfo *perf)
{
	uint32_t tid = (uint32_t)syscall_3(SYS_gettid, 0, 0, 0);
	struct thread *t = thread_of(&handler_state.process, tid);
	bool hit = t && t->tracing;

	if (t && perf->code != SI_USER)
		hit = (int32_t)perf->data == t->break_name; /* si_fd */
	perf->code = CODE_PERF;
	perf->data = (uintptr_t)t | (hit ? TRAP_BREAKPOINT : TRAP_SAMPLE);
	perf->flags = 0;
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	uint64_t ticks = isa_ticks();
	struct perf_siginfo *perf = (void *)info;
	bool asynchronous = handler_state.process.options.event.asynchronous &&
			    event_is_signal(perf->code, (uint32_t)perf->address);
	struct thread *t;

	if (asynchronous)
		translate(perf);
	t = (struct thread *)(uintptr_t)(perf->data & ~(uint64_t)1);
	if (asynchronous && !t)
		return;
	if (!altstack_at((uintptr_t)context))
		altstack_enter_at_return(context); /* a thread that was there before us */
	if (perf->code != CODE_PERF || !thread_is_slot(&handler_state.process, t)) {
		forward(number, info, context);
		return;
	}
	__atomic_store_n(&t->busy, 1, __ATOMIC_SEQ_CST);
	/* Not live: a signal that was pending when its thread was given up (thread.c, thread_end).
	 */
	if (__atomic_load_n(&t->state, __ATOMIC_SEQ_CST) == THREAD_LIVE) {
		uint64_t stop = t->stops++;

		if (stop < TIMED_STOPS || t->process->options.rates)
			handle_timed(t, perf, context, ticks, 1);
		else if (stop % TIMED_STOPS == 0)
			handle_timed(t, perf, context, ticks, TIMED_STOPS);
		else
			handle(t, perf, context, ticks);
		t->stopwatch.ticks = isa_ticks();
	}
	__atomic_store_n(&t->busy, 0, __ATOMIC_RELEASE);
}

/* A return of our own: libc's is code in which a breakpoint may stand. Unwinders know these very
 * bytes for a signal's frame. */
#define RESTORER_FLAG 0x04000000u

__asm__(".pushsection .text\n"
	".type trap_return, @function\n"
	"trap_return:\n"
	"	mov $15, %rax\n" /* rt_sigreturn */
	"	syscall\n"
	".size trap_return, . - trap_return\n"
	".popsection\n");
void trap_return(void) __attribute__((visibility("hidden")));

/* SIGTRAP changes hands while another thread sets it: one at a time, and nothing between. */
static uint64_t begin_change(void)
{
	uint64_t all = ~0ull, before = 0;

	syscall_6(SYS_rt_sigprocmask, SIG_SETMASK, (uintptr_t)&all, (uintptr_t)&before, 8, 0, 0);
	while (!atomic_swap_if(&handler_state.trap.changing, 0, 1))
		syscall_3(SYS_sched_yield, 0, 0, 0);
	return before;
}

static void end_change(uint64_t before)
{
	/* acquired in begin_change */
	atomic_write_release(&handler_state.trap.changing, 0);
	syscall_6(SYS_rt_sigprocmask, SIG_SETMASK, (uintptr_t)&before, 0, 8, 0, 0);
}

static int install(void)
{
	struct kernel_sigaction action = {
		.handler = on_trap,
		.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | RESTORER_FLAG,
		.restorer = trap_return,
		.mask = ~0ull,
	};
	struct kernel_sigaction old = {0};
	long rc = syscall_6(SYS_rt_sigaction, SIGTRAP, (uintptr_t)&action, (uintptr_t)&old,
			    sizeof(old.mask), 0, 0);

	if (rc)
		return (int)rc;
	if (old.handler == on_trap)
		return 0;
	atomic_write_release(&handler_state.trap.installed, true);
	memset(&handler_state.trap.program, 0, sizeof(handler_state.trap.program));
	handler_state.trap.program.sa_sigaction = old.handler;
	handler_state.trap.program.sa_flags = (int)(old.flags & ~(uint64_t)RESTORER_FLAG);
	memcpy(&handler_state.trap.program.sa_mask, &old.mask, sizeof(old.mask));
	signal_delivery_unwrap(SIGTRAP, &handler_state.trap.program);
	return 0;
}

int trap_install(void)
{
	uint64_t before = begin_change();
	int rc = install();

	end_change(before);
	return rc;
}

static void give_back(void)
{
	struct sigaction program = handler_state.trap.program;
	struct kernel_sigaction action = {.restorer = trap_return};

	if (!atomic_read_relaxed(&handler_state.trap.installed))
		return;
	if (signal_delivery_is_installed())
		signal_delivery_wrap(SIGTRAP, &program);
	action.handler = program.sa_sigaction;
	action.flags = (unsigned)program.sa_flags | RESTORER_FLAG;
	memcpy(&action.mask, &program.sa_mask, sizeof(action.mask));
	atomic_write_release(&handler_state.trap.installed, false);
	syscall_6(SYS_rt_sigaction, SIGTRAP, (uintptr_t)&action, 0, sizeof(action.mask), 0, 0);
}

void trap_remove(void)
{
	uint64_t before = begin_change();

	give_back();
	end_change(before);
}

bool trap_program_handles(void)
{
	return (uintptr_t)handler_state.trap.program.sa_sigaction >
	       1; /* neither SIG_DFL nor SIG_IGN */
}

int trap_program_action(signal_delivery_sigaction_call *next, const struct sigaction *new_action,
			struct sigaction *old_action)
{
	uint64_t before = begin_change();
	struct sigaction was = handler_state.trap.program;
	int rc = 0;

	if (!atomic_read_relaxed(&handler_state.trap.installed)) {
		rc = signal_delivery_sigaction(next, SIGTRAP, new_action, old_action);
	} else {
		if (new_action)
			handler_state.trap.program = *new_action;
		if (old_action)
			*old_action = was;
	}
	end_change(before);
	return rc;
}

void trap_after_fork(void)
{
	handler_state.trap.changing = 0;
}
