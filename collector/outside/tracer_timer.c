/* SPDX-License-Identifier: MIT */
#include "collector/outside/tracer_timer.h"

#include "collector/outside/tracer_failure.h"
#include "collector/outside/tracer_threads.h"
#include "collector/outside/tracer_trace.h"
#include "collector/engine/sampler.h"

/* Each costs a microsecond or ten. */
#define LOOKS_MOST 64u

void tracer_timer_tick(struct tracer *t)
{
	struct traced **at;
	int rc;

	vector_each (&t->threads, at) {
		struct traced *thread = *at;

		if (thread->events.signal || thread->interrupted || thread->listening ||
		    thread->process->ours || !tracee_is_running(thread->state_file))
			continue;
		if (thread->tracing && thread->patience) {
			thread->patience--;
			continue;
		}
		rc = tracee_interrupt(thread->tid);
		thread->interrupted = !rc;
		tracer_failure_refused(t, rc);
	}
}

/* What libc blocks, for a moment, changes nothing: without events the thread would be interrupted,
 * and could notice. Many a look comes in such a moment, when a new thread has woken us; but then no
 * event waits to be announced. */
static void count_masked(struct traced *thread, const struct tracee_status *status)
{
	int number = thread->events.signal;

	if (!tracee_status_is_masked(status))
		thread->masked = 0;
	else if (!number || status->pending & tracee_status_signal(number))
		thread->masked++;
}

/* The program has come to block, or to handle, what announces the thread's events; or not any more.
 * An event that waits does not count any more. */
static void look_at(struct tracer *t, struct traced *thread)
{
	struct tracee_status status;
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

	for (size_t i = 0; i < most; i++)
		look_at(t, t->threads.items[t->looked++ % t->threads.count]);
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
	t->period = sampler_distance(&t->random, tracer_trace_distance_ns(t));
	return t->period;
}
