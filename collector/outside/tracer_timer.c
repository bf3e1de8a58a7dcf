/* SPDX-License-Identifier: MIT */
#include "collector/outside/tracer_timer.h"

#include "collector/outside/tracer_failure.h"
#include "collector/session/sampler.h"

void tracer_timer_tick(struct tracer *t)
{
	struct traced **at;
	int rc;

	vector_each (&t->threads, at) {
		struct traced *thread = *at;

		if (thread->interrupted || thread->listening || thread->process->ours ||
		    !tracee_is_running(thread->state_file))
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

uint64_t tracer_timer_draw(struct tracer *t)
{
	t->period = sampler_distance(&t->random, t->options->session.period);
	return t->period;
}
