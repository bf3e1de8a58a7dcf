/* SPDX-License-Identifier: MIT */
/* What a tracer does when a thread stops, or ends. */

#include "collector/outside/tracer.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "collector/outside/tracee.h"
#include "collector/recorder/command.h"
#include "collector/kernel/clock.h"
#include "isa/host.h"

static int sample(struct tracer *t, struct traced *thread, const struct tracee_registers *registers)
{
	int rc = tracer_trace_lose(thread, true);

	if (rc)
		return rc;
	if (t->stopping) /* asked for before the end, but too late to be a sample */
		return 0;
	tracer_count(t, COUNTER_SAMPLES, 1);
	/* The time was the kernel's: what comes behind the call is not where it went. */
	if (registers->in_system_call) {
		tracer_count(t, COUNTER_KERNEL, 1);
		return 0;
	}
	return tracer_trace_begin(t, thread, registers);
}

/* Its debug register was hit, and the stop for that is yet to come. */
static bool has_hit(const struct traced *thread)
{
	return thread->tracing && !thread->events.signal && tracee_has_hit(thread->tid);
}

/* Not as the program asked for it, when it came back from being stopped (signal(7)). */
static int restart_call(struct traced *thread, struct tracee_registers *registers)
{
	int rc = tracee_registers(thread->tid, registers);

	return rc ? rc : tracee_restart_call(thread->tid, registers);
}

/* It may have none only because it blocked signals when it was looked at. */
static void find_events(struct tracer *t, struct traced *thread)
{
	struct task_status status;

	if (!thread->events.signal && !t->no_events && !tracee_status_read(thread->tid, &status) &&
	    tracer_threads_signal(t, thread, &status))
		tracer_threads_choose_events(t, thread, &status);
}

static int on_trapped(struct tracer *t, struct traced *thread)
{
	bool asked = thread->stop == TRACED_INTERRUPTED;
	struct tracee_registers registers;

	thread->stop = TRACED_RUNS;
	if (!asked)
		return 0;
	if (restart_call(thread, &registers))
		return 0; /* gone */
	/* cleared now, it would still get its SIGTRAP, and without us die of it */
	thread->hit = has_hit(thread);
	if (thread->hit || thread->process->ours || !registers.is_64_bit)
		return 0;
	find_events(t, thread);
	thread->period = t->period;
	thread->interval = tracer_trace_interval_ns(t);
	return sample(t, thread, &registers);
}

/* It is at its breakpoint, which lets hits pass: was this one counted already? */
static bool is_crossed(const struct traced *thread, const struct tracee_registers *registers)
{
	return thread->tracing && thread->drive.armed && thread->events.skip &&
	       isa_registers_pc(&registers->isa) == thread->drive.breakpoint;
}

static int on_sampled(struct tracer *t, struct traced *thread)
{
	struct tracee_events *events = &thread->events;
	struct tracee_registers registers;

	if (sampler_came_again(&events->sampler)) {
		tracer_count(t, COUNTER_SAMPLES, 1);
		tracer_count(t, COUNTER_KERNEL, 1);
		restart_call(thread, &registers);
		return 0;
	}
	sampler_fired(&events->sampler);
	if (restart_call(thread, &registers) || !t->sampling || thread->turns.ends ||
	    thread->process->ours || !registers.is_64_bit)
		return 0;
	if (is_crossed(thread, &registers)) {
		tracer_count(t, COUNTER_EARLY + CORE_CROSSED, 1);
		return tracer_trace_cut(thread, true);
	}
	if (thread->tracing && thread->patience) {
		thread->patience--;
		return 0;
	}
	thread->period = traced_turns_whole_ns(&thread->turns, events->sampler.waited);
	thread->interval = traced_turns_whole_ns(&thread->turns, events->sampler.ended);
	events->sampler.waited = 0;
	/* does the kernel step already, or will a breakpoint that is set here count this visit? */
	thread->postponed = isa_registers_pc(&registers.isa) == thread->stepped_from;
	return thread->postponed ? 0 : sample(t, thread, &registers);
}

/* By an event that is closed, or by a step of its own. */
static int on_belated(struct tracer *t, struct traced *thread, bool postponed)
{
	struct tracee_registers registers;

	if (restart_call(thread, &registers) || !postponed || !t->sampling)
		return 0;
	return sample(t, thread, &registers);
}

/* A signal that the program ignores interrupts system calls of tracees only. */
static void pass_over(struct traced *thread, int sig)
{
	struct tracee_registers registers;
	struct task_status status;

	if (!tracee_registers(thread->tid, &registers) && registers.in_system_call &&
	    registers.result == -EINTR && !tracee_status_read(thread->tid, &status) &&
	    tracee_status_ignores(&status, sig))
		tracee_restart_call(thread->tid, &registers);
}

/* The handler may run the traced code, block signals, or never return: traces end at signals. */
static int on_signal(struct traced *thread, int sig)
{
	pass_over(thread, sig);
	return tracer_trace_lose(thread, true);
}

static int on_breakpoint(struct tracer *t, struct traced *thread)
{
	struct tracee_registers registers;

	thread->hit = false;
	if (thread->events.signal)
		restart_call(thread, &registers);
	if (thread->stop == TRACED_LISTENING) /* on_pause let it come here: it is to pause again */
		tracee_interrupt(thread->tid);
	return tracer_trace_resume(t, thread);
}

/* A pending hit comes at once when the thread goes on, before any of its code. */
static int on_pause(struct tracer *t, struct traced *thread)
{
	int rc = 0;

	thread->stop = TRACED_LISTENING;
	thread->hit = has_hit(thread);
	if (thread->hit) {
		tracee_resume(thread->tid, 0, false);
		return 0;
	}
	if (t->stopping)
		rc = tracer_trace_cut(thread, true);
	tracee_listen(thread->tid);
	return rc;
}

/* The process's other threads are gone, whatever is still told of them, and the one that is left
 * has the first one's number; the kernel has cleared the debug registers. */
static int on_exec(struct tracer *t, struct traced *thread)
{
	struct tracee_process *process = thread->process;
	struct executable_calls calls;
	struct task_status status;
	int rc = tracer_trace_cut(thread, false);

	for (size_t i = t->threads.count; i-- > 0;) {
		struct traced *other = t->threads.items[i];

		if (other->process != process || other == thread)
			continue;
		if (other->tid == t->root)
			t->root = thread->tid;
		tracer_threads_end(t, other);
	}
	calls = executable_calls(thread->tid, &t->calls);
	process->follows = tracer_members_follow(t, &calls);
	tracee_follow(thread->tid, process->follows);
	tracee_process_note_calls(process, &calls);
	process->leaves = calls.finds_leaks;
	if (calls.is_32_bit)
		tracer_members_exclude(t, thread->tid, EXCLUSION_32_BIT);
	if (!tracee_status_read(thread->tid, &status))
		tracer_threads_choose_events(t, thread, &status);
	return rc ? rc : tracee_process_executed(t, process);
}

/* The process has come to run a program that fails under ptrace: let go of it, but for a signal of
 * ours that would then end it. */
static bool take_leave(struct tracer *t, struct traced *thread)
{
	int signal = thread->events.before;
	pid_t tid = thread->tid;
	struct task_status status;

	tracer_threads_close_events(t, thread);
	if (signal && !tracee_status_read(tid, &status) &&
	    tracee_status_pending(&status) & tracee_status_signal(signal))
		return tracee_interrupt(tid) != 0;
	tracer_members_exclude(t, tid, EXCLUSION_LEAKS);
	tracer_threads_end(t, thread);
	tracee_request(PTRACE_DETACH, tid, 0, 0);
	return true;
}

/* At an event's breakpoint, which was hit, or which lets hits pass: see tracee_stepped. */
static void note_step(struct traced *thread, enum tracee_stop why)
{
	struct tracee_registers registers;
	uint64_t pc;

	if (ISA_HOST_PASSES_BREAKPOINT || why == TRACEE_EVENT || !thread->events.signal ||
	    (!thread->drive.armed && !thread->stepped_from) ||
	    tracee_registers(thread->tid, &registers))
		return;
	pc = isa_registers_pc(&registers.isa);
	if (why == TRACEE_BREAKPOINT || (thread->drive.armed && pc == thread->drive.breakpoint))
		thread->stepped_from = pc;
	else if (pc != thread->stepped_from)
		thread->stepped_from = 0;
}

/*
 * A signal that would end the program if we were killed now: the thread goes on without it, to stop
 * once more before its next instruction, and only then has its sample or its breakpoint.
 */
static bool take_deadly(struct traced *thread, enum tracee_stop why)
{
	if ((why != TRACEE_SAMPLED && why != TRACEE_BREAKPOINT) || !thread->events.deadly ||
	    tracee_interrupt(thread->tid))
		return false;
	thread->taken = why;
	tracee_resume(thread->tid, 0, thread->stepped_from != 0);
	return true;
}

/* It stopped, for what it was made to stop for; or else that is lost. */
static enum tracee_stop why_taken(struct tracer *t, struct traced *thread, enum tracee_stop why)
{
	enum tracee_stop taken = thread->taken;

	thread->taken = TRACEE_TRAPPED;
	if (why == TRACEE_TRAPPED) {
		thread->stop = TRACED_RUNS;
		return taken;
	}
	tracer_failure_note(t, tracer_trace_lose(thread, true));
	return why;
}

static void on_stop(struct tracer *t, pid_t tid, int status)
{
	struct traced *thread = tracer_threads_find(t, tid);
	uint64_t begin = clock_now_ns();
	int sig, rc = 0;
	bool taken = thread && thread->taken, postponed;
	enum tracee_stop why = tracee_why(tid, thread ? &thread->events : NULL, status, &sig);

	if (!thread)
		thread = tracer_threads_meet(t, tid);
	if (!thread) {
		tracee_resume(tid, sig, false);
		return;
	}
	if (taken)
		why = why_taken(t, thread, why);
	note_step(thread, why);
	postponed = thread->postponed;
	thread->postponed = false;
	if (!taken && take_deadly(thread, why))
		return;
	switch (why) {
	case TRACEE_TRAPPED:
		rc = on_trapped(t, thread);
		break;
	case TRACEE_SAMPLED:
		rc = on_sampled(t, thread);
		break;
	case TRACEE_BELATED:
		rc = on_belated(t, thread, postponed);
		break;
	case TRACEE_BREAKPOINT:
		rc = on_breakpoint(t, thread);
		break;
	case TRACEE_SIGNALLED:
		rc = on_signal(thread, sig);
		break;
	case TRACEE_EXECUTED:
		rc = on_exec(t, thread);
		break;
	case TRACEE_PAUSED:
		tracer_failure_note(t, on_pause(t, thread));
		return;
	case TRACEE_EVENT:
		break;
	}
	if (thread->process->leaves && why != TRACEE_SIGNALLED && take_leave(t, thread)) {
		tracer_failure_note(t, rc);
		return;
	}
	tracer_failure_refused(t, tracee_resume(tid, sig, thread->stepped_from != 0));
	begin = clock_now_ns() - begin;
	tracer_count(t, COUNTER_HANDLER_NS, begin);
	stop_times_add(&t->result->stops, begin);
	tracer_failure_note(t, rc);
}

static void on_end(struct tracer *t, pid_t tid, int status, const struct rusage *usage)
{
	struct traced *thread = tracer_threads_find(t, tid);

	if (thread)
		tracer_threads_end(t, thread);
	if (tid != t->root)
		return;
	t->root_ended = true;
	t->result->status = status;
	recorder_take_usage(t->result, usage);
}

/* Where threads come and go without pause there is always another stop: those that have ended are
 * let go in between, since they make each look longer. */
#define STOPS_AT_ONCE 64u

/* The status of a thread that has stopped; false: none has. */
static bool take_stop(pid_t *tid, int *status)
{
	siginfo_t info = {.si_pid = 0};

	if (waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG | __WALL) || !info.si_pid)
		return false;
	*tid = info.si_pid;
	*status = info.si_status << 8 | 0x7f; /* as wait4 tells it */
	return true;
}

/* A thread that has ended, or has stopped since. It is there for as long as we don't ask for its
 * status: a process's parent is not told of the end before. False: none has; *all: as there is
 * none. */
static bool find_end(pid_t *tid, bool *all)
{
	siginfo_t info = {.si_pid = 0};

	*all = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) && errno == ECHILD;
	*tid = info.si_pid;
	return *tid != 0;
}

static void reap_end(struct tracer *t, pid_t tid)
{
	struct traced *thread = tracer_threads_find(t, tid);
	struct rusage usage;
	int status;

	if (thread && !t->root && thread->process->threads == 1)
		tracee_process_keep_time(t, thread->process);
	if (wait4(tid, &status, __WALL | WNOHANG, &usage) != tid)
		return;
	if (WIFSTOPPED(status))
		on_stop(t, tid, status);
	else
		on_end(t, tid, status, &usage);
}

void tracer_stops_reap(struct tracer *t)
{
	unsigned stops;
	bool all;
	int status;
	pid_t tid;

	do {
		for (stops = 0; stops < STOPS_AT_ONCE && take_stop(&tid, &status); stops++)
			on_stop(t, tid, status);
		while (find_end(&tid, &all))
			reap_end(t, tid);
	} while (stops == STOPS_AT_ONCE);
	/* of a thread that an exec by another one ended nothing is told */
	if (all && !selection_is_open(&t->options->selection))
		t->root_ended = true;
}
