/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler/timed_segment.h"

#include <linux/hw_breakpoint.h>
#include <time.h>

#include "collector/inside/handler/process.h"
#include "collector/kernel/clock.h"

static bool await_point(struct thread *t)
{
	const struct first_touch *l = stopwatch_awaits(&t->stopwatch);

	t->drive.armed = thread_set_breakpoint(
		t, l->address, l->kind == FIRST_TOUCH_CODE ? HW_BREAKPOINT_X : HW_BREAKPOINT_RW, 0);
	return t->drive.armed;
}

bool timed_segment_is_wanted(const struct thread *t)
{
	return t->process->options.correction == CORRECTION_PROBE && !t->work->core.stopped;
}

/* May it be stopped at all of them? */
static bool is_stoppable(const struct thread *t)
{
	const struct isa_memory *m = &t->work->reader.memory;

	for (size_t i = 0; i < STOPWATCH_STOPS; i++) {
		const struct first_touch *l = &t->stopwatch.at[i];

		if (l->kind && isa_atomic_contains(m, l->address))
			return false;
	}
	return true;
}

bool timed_segment_start(struct thread *t)
{
	struct process *p = t->process;

	if (!stopwatch_start(&t->stopwatch, &t->work->core) || !is_stoppable(t) || !await_point(t))
		return false;
	t->stopwatch.warmed = t->work->reader.copy;
	process_count(p, COUNTER_PROBES, 1);
	sampler_guard(&t->sampler);
	return true;
}

enum timed_segment timed_segment_hit(struct thread *t, const void *context, bool late,
				     uint64_t ticks)
{
	struct process *p = t->process;
	struct stopwatch *w = &t->stopwatch;
	uint64_t cpu_ns = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);

	if (late || !first_touch_is_at(stopwatch_awaits(w), isa_state_context_pc(context))) {
		process_count(p, COUNTER_PROBES_DIVERGED, 1);
		return TIMED_SEGMENT_ELSEWHERE;
	}
	if (stopwatch_stop(w, (ticks - w->ticks) * p->options.machine.tick_1024_ps / 1024,
			   cpu_ns - w->cpu_ns, &p->file.header->costs.stops)) {
		w->cpu_ns = cpu_ns;
		return await_point(t) ? TIMED_SEGMENT_GOES_ON : TIMED_SEGMENT_OVER;
	}
	process_count(p, COUNTER_PROBES_TIMED, w->ps != 0);
	return TIMED_SEGMENT_OVER;
}

bool timed_segment_interrupt(struct thread *t)
{
	struct process *p = t->process;

	if (!waypoints_suffice(t->work->core.waypoints) ||
	    !sampler_interrupt(&t->sampler, STOPWATCH_INTERRUPT_NS))
		return false;
	t->stopwatch.warmed = t->work->reader.copy;
	t->stopwatch.interrupted = true;
	t->stopwatch.cpu_ns = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);
	process_count(p, COUNTER_PROBES, 1);
	return true;
}

/* Where is the thread? What it loads on the way there is not the path's. */
static bool find_thread(struct thread *t, const void *context, struct rate_work *ran)
{
	struct memory_reader *reader = &t->work->reader;
	struct cache_lines *lines = reader->lines;
	bool found;

	isa_state_load_context(core_state(&t->work->core), context);
	reader->lines = NULL;
	found = stopwatch_locate(&t->work->core, &reader->memory, ran);
	reader->lines = lines;
	return found;
}

enum timed_segment timed_segment_interrupted(struct thread *t, const void *context, uint64_t ticks)
{
	struct process *p = t->process;
	struct stopwatch *w = &t->stopwatch;
	uint64_t cpu_ns = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t wall_ps = (ticks - w->ticks) * p->options.machine.tick_1024_ps / 1024;
	struct rate_work ran;

	if (find_thread(t, context, &ran)) {
		bool more = stopwatch_interrupt(w, &ran, wall_ps, cpu_ns - w->cpu_ns,
						&p->file.header->costs.stops);

		w->cpu_ns = cpu_ns;
		if (more && sampler_interrupt(&t->sampler,
					      STOPWATCH_INTERRUPT_MORE * STOPWATCH_INTERRUPT_NS))
			return TIMED_SEGMENT_GOES_ON;
	}
	timed_segment_count(t);
	return w->ps ? TIMED_SEGMENT_OVER : TIMED_SEGMENT_ELSEWHERE;
}

void timed_segment_count(const struct thread *t)
{
	process_count(t->process, t->stopwatch.ps ? COUNTER_PROBES_TIMED : COUNTER_PROBES_DIVERGED,
		      1);
}

void timed_segment_weigh(const struct thread *t, struct trace_record_sample *sample)
{
	const struct session_options *o = &t->process->options;
	const struct rate_work work = core_work(&t->work->core, &t->work->lines);
	struct stopwatch_costs *costs = &t->process->file.header->costs.stops;

	if (o->times) {
		sample->model_ps = rate_model_ps(&work, &o->machine);
		sample->timed_ps = stopwatch_measured_ps(&t->stopwatch, &work, &o->machine, costs);
	}
	if (o->correction && t->work->core.options.depth >= CORRECTION_DEPTH_LEAST)
		sample->weight = stopwatch_weight(&t->stopwatch, &work,
						  (enum timer_correction)o->correction, &o->machine,
						  costs, t->interval_ns);
}
