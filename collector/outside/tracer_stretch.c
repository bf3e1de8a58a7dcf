/* SPDX-License-Identifier: MIT */
#include "collector/outside/tracer_stretch.h"

bool tracer_stretch_start(struct tracer *t, struct traced *thread)
{
	const struct core *core = thread->drive.core;
	struct stopwatch *w = &thread->stopwatch;

	if (t->options->session.rates != RATES_PROBE || core->stopped || !thread->events.signal ||
	    !stopwatch_start(w, core))
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
	uint64_t ps;

	if (!o->rates || core->options.depth < RATES_DEPTH_LEAST)
		return;
	ps = o->rates == RATES_PROBE
		     ? stopwatch_path_ps(&thread->stopwatch, &work, &o->machine, &t->empties)
		     : rate_model_ps(&work, &o->machine);
	sample->weight = rate_weight(work.branches, ps, thread->distance);
}
