/* SPDX-License-Identifier: MIT */
#include "collector/outside/tracer_stretch.h"

bool tracer_stretch_is_wanted(const struct tracer *t, const struct traced *thread)
{
	return t->options->session.rates == RATES_PROBE && !thread->drive.core->stopped &&
	       thread->events.signal;
}

bool tracer_stretch_start(struct tracer *t, struct traced *thread)
{
	struct stopwatch *w = &thread->stopwatch;

	if (!stopwatch_start(w, thread->drive.core))
		return false;
	w->elsewhere = true;
	w->running = !tracee_events_time(&thread->events, thread->tid, w->at);
	tracer_count(t, COUNTER_PROBES, w->running);
	return w->running;
}

void tracer_stretch_end(struct tracer *t, struct traced *thread)
{
	struct stopwatch *w = &thread->stopwatch;
	uint64_t before = 0, now;

	while (w->running) {
		if (!tracee_events_came_to(&thread->events, w->awaited, &now) || now < before)
			break;
		stopwatch_stop(w, (now - before) * 1000, now - before, &t->empties);
		before = now;
	}
	tracer_count(t, w->running ? COUNTER_PROBES_DIVERGED : COUNTER_PROBES_TIMED, 1);
	w->running = false;
}

void tracer_stretch_tell(struct tracer *t, struct traced *thread,
			 struct trace_record_sample *sample)
{
	const struct session_options *o = &t->options->session;
	const struct core *core = thread->drive.core;
	const struct rate_work work = core_work(core, &t->view->lines);

	if (o->rates && core->options.depth >= RATES_DEPTH_LEAST)
		sample->weight = stopwatch_weight(&thread->stopwatch, &work, (enum rates)o->rates,
						  &o->machine, &t->empties, thread->distance);
}
