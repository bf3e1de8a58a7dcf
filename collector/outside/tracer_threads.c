/* SPDX-License-Identifier: MIT */
/* The threads that a tracer traces, and when they are stopped for a sample. */

#include "collector/outside/tracer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "collector/engine/sampler.h"

/* A filter, or a security module's new rule, forbids ptrace. Threads that stopped would stay so. */
void tracer_failure_refused(struct tracer *t, int rc)
{
	if (!rc || rc == -ESRCH || rc == -EIO || t->refused)
		return;
	t->refused = true;
	errno = -rc;
	t->failed = error_set_errno(t->error, NULL,
				    "the kernel refuses to go on tracing (ptrace): the recording "
				    "ends, the program goes on");
	t->stopping = true;
}

void tracer_failure_note(struct tracer *t, int rc)
{
	if (!rc)
		return;
	t->failed = rc;
	t->stopping = true;
}

/* ---- the threads, by number ---------------------------------------------------------------- */

/* Where the thread is or belongs among the others. */
static size_t place_of(const struct tracer *t, pid_t tid)
{
	size_t low = 0, high = t->threads.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->threads.items[middle]->tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct traced *tracer_threads_find(const struct tracer *t, pid_t tid)
{
	size_t at = place_of(t, tid);

	return at < t->threads.count && t->threads.items[at]->tid == tid ? t->threads.items[at]
									 : NULL;
}

void tracer_threads_close_events(struct tracer *t, struct traced *thread)
{
	t->eventless += thread->events.signal != 0;
	tracee_events_close(&thread->events);
	thread->taken = TRACEE_TRAPPED;
}

int tracer_threads_signal(const struct tracer *t, const struct traced *thread,
			  const struct task_status *status)
{
	return t->no_events ? 0
			    : tracee_events_signal(status, thread->masked > 1,
						   tracee_process_seen_signals(thread->process));
}

static void open_events(struct tracer *t, struct traced *thread, const struct task_status *status)
{
	const struct session_options *o = &t->options->session;
	uint64_t mean = traced_turns_interval_ns(&thread->turns, tracer_trace_interval_ns(t));
	int number = tracer_threads_signal(t, thread, status), rc = 0;

	if (number)
		rc = tracee_events_open(&thread->events, thread->tid, number, &o->event, mean,
					sampler_interval(&t->random, mean), t->sampling);
	thread->events.deadly = number && !tracee_status_ignores(status, number) &&
				!(status->caught & tracee_status_signal(number));
	if (rc)
		tracee_events_close(&thread->events); /* it is interrupted instead */
	/* else this machine has none for us */
	t->no_events |= rc && rc != -ESRCH && rc != -EMFILE && rc != -ENFILE && rc != -ENOMEM;
	t->eventless -= thread->events.signal != 0;
}

static void end_rest(struct tracer *t, struct traced *thread)
{
	t->eventless += thread->turns.rests;
	thread->turns.rests = thread->turns.ends = false;
	thread->turns.opened = thread->turns.share;
}

void tracer_threads_choose_events(struct tracer *t, struct traced *thread,
				  const struct task_status *status)
{
	tracer_failure_note(t, tracer_trace_lose(thread, true));
	tracer_threads_close_events(t, thread);
	end_rest(t, thread);
	open_events(t, thread, status);
}

static struct traced *insert_thread(struct tracer *t, pid_t tid, struct tracee_process *process,
				    const struct task_status *status)
{
	struct traced *thread = memory_alloc(sizeof(*thread));
	size_t at = place_of(t, tid);

	if (!thread || !vector_push(&t->threads)) {
		memory_free(thread);
		return NULL;
	}
	memmove(t->threads.items + at + 1, t->threads.items + at,
		(t->threads.count - 1 - at) * sizeof(*t->threads.items));
	t->threads.items[at] = thread;
	*thread = (struct traced){
		.tid = tid,
		.tracer = t,
		.process = process,
		.state_file = tracee_open_state(tid),
		.turns = {.share = TURNS_WHOLE, .opened = TURNS_WHOLE},
	};
	tracee_status_ran(tid, &thread->turns.ran_ns, &thread->turns.ran);
	process->threads++;
	t->eventless++;
	open_events(t, thread, status);
	tracer_count(t, COUNTER_THREADS, 1);
	return thread;
}

static void remove_thread(struct tracer *t, struct traced *thread)
{
	size_t at = place_of(t, thread->tid);

	memmove(t->threads.items + at, t->threads.items + at + 1,
		(t->threads.count - 1 - at) * sizeof(*t->threads.items));
	t->threads.count--;
	tracer_threads_close_events(t, thread);
	t->eventless -= !thread->turns.rests;
	if (thread->state_file >= 0)
		close(thread->state_file);
	tracee_process_release(t, thread->process, thread->tid);
	memory_free(thread);
}

static struct traced *add_thread(struct tracer *t, pid_t tid, uint32_t parent,
				 const struct task_status *status)
{
	struct tracee_process *process = tracee_process_get(t, status->process, tid);
	struct synthesize_task task = {status->process, (uint32_t)tid};
	struct traced *thread = process ? insert_thread(t, tid, process, status) : NULL;

	if (!thread)
		tracer_failure_note(t, error_set_nomem(t->error));
	else if (parent)
		tracer_failure_note(t, synthesize_fork(&t->writer, task,
						       (struct synthesize_task){parent, parent},
						       t->error));
	else
		tracer_failure_note(t, synthesize_comm(&t->writer, task, false, t->error));
	return thread;
}

struct traced *tracer_threads_add(struct tracer *t, pid_t tid)
{
	struct task_status status;

	return tracee_status_read(tid, &status) ? NULL : add_thread(t, tid, 0, &status);
}

struct traced *tracer_threads_meet(struct tracer *t, pid_t tid)
{
	struct task_status status;
	struct traced *thread;
	bool is_process;

	if (tracee_status_read(tid, &status))
		return NULL;
	is_process = status.process == (uint32_t)tid;
	thread = add_thread(t, tid, is_process ? status.parent : status.process, &status);
	if (thread && is_process)
		thread->process->follows = true; /* as its parent, or it would not have come */
	return thread;
}

void tracer_threads_end(struct tracer *t, struct traced *thread)
{
	struct synthesize_task task = {thread->process->pid, (uint32_t)thread->tid};

	tracer_failure_note(t, tracer_trace_lose(thread, false));
	tracer_failure_note(t, synthesize_exit(&t->writer, task, t->error));
	remove_thread(t, thread);
}

/* ---- when they stop for a sample ----------------------------------------------------------- */

/* Each costs a microsecond or ten. */
#define LOOKS_MOST 64u

void tracer_timer_tick(struct tracer *t)
{
	struct traced **at;
	int rc;

	vector_each (&t->threads, at) {
		struct traced *thread = *at;

		if (thread->events.signal || thread->turns.rests || thread->stop != TRACED_RUNS ||
		    thread->process->ours || !tracee_is_running(thread->state_file))
			continue;
		if (thread->tracing && thread->patience) {
			thread->patience--;
			continue;
		}
		rc = tracee_interrupt(thread->tid);
		if (!rc)
			thread->stop = TRACED_INTERRUPTED;
		tracer_failure_refused(t, rc);
	}
}

/* What libc blocks, for a moment, changes nothing: without events the thread would be interrupted,
 * and could notice. Many a look comes in such a moment, when a new thread has woken us; but then no
 * event waits to be announced. */
static void count_masked(struct traced *thread, const struct task_status *status)
{
	int number = thread->events.signal;

	if (!tracee_status_is_masked(status))
		thread->masked = 0;
	else if (!number || tracee_status_pending(status) & tracee_status_signal(number))
		thread->masked++;
}

/* The program has come to block, or to handle, what announces the thread's events; or not any more.
 * An event that waits does not count any more. */
static void look_at(struct tracer *t, struct traced *thread)
{
	struct task_status status;
	bool runs = thread->events.signal ? tracee_events_have_run(&thread->events)
					  : tracee_is_running(thread->state_file);

	if ((!runs && thread->masked != 1) || t->no_events || thread->process->ours ||
	    (!thread->events.signal && thread->tracing) || tracee_status_read(thread->tid, &status))
		return;
	count_masked(thread, &status);
	if (tracer_threads_signal(t, thread, &status) != thread->events.signal)
		tracer_threads_choose_events(t, thread, &status);
}

void tracer_timer_look(struct tracer *t)
{
	size_t most = t->threads.count < LOOKS_MOST ? t->threads.count : LOOKS_MOST;

	for (size_t i = 0; i < most; i++) {
		struct traced *thread = t->threads.items[t->looked++ % t->threads.count];
		enum tracer_turn turn = tracer_turns_take(t, thread);
		struct task_status status;

		if (turn == TRACER_TURN_NONE)
			look_at(t, thread);
		else if (turn == TRACER_TURN_BEGINS && !tracee_status_read(thread->tid, &status))
			tracer_threads_choose_events(t, thread, &status);
	}
}

void tracer_timer_switch(struct tracer *t, bool on)
{
	struct traced **at;

	t->sampling = on;
	vector_each (&t->threads, at)
		tracee_events_switch(&(*at)->events, on);
}

uint64_t tracer_timer_draw(struct tracer *t)
{
	t->period = sampler_interval(&t->random, tracer_trace_interval_ns(t));
	return t->period;
}
