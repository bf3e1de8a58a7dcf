/* SPDX-License-Identifier: MIT */
/* One thread's trace, from sample to record: the tracer's operations (collector/engine/drive.h). */

#include "collector/outside/tracer.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/error.h"
#include "base/memory.h"
#include "collector/engine/budget.h"
#include "collector/engine/shared_depth.h"
#include "collector/kernel/clock.h"
#include "isa/host.h"

/* What first traces of processes take that run already, where nothing is decoded: a service is not
 * to stand still for all of them at once. Short commands are worth more of it. */
#define COLD_NS 1000000u

/* How many samples, or ticks that find the thread running, a breakpoint is waited for. */
#define PATIENCE_TICKS 8u

static struct tracing *new_tracing(struct tracer *t)
{
	const struct session_options *o = &t->options->session;
	unsigned most = session_depth_most(o);
	struct core_options options = {.depth = o->depth,
				       .lookahead = o->lookahead,
				       .end_at_system_calls = true,
				       .machine = &o->machine,
				       .ends_early = o->depth_most != 0,
				       .audit = o->audit};
	size_t head = (sizeof(struct tracing) + 63) & ~(size_t)63;
	size_t bytes = head + 2 * sizeof(struct isa_state) + most * sizeof(struct isa_taken) +
		       o->values * sizeof(struct site_value) + most + o->stack_copy;
	struct core_memory lent = {0};
	struct tracing *tracing = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (tracing == MAP_FAILED)
		return NULL;
	lent.states = (void *)((char *)tracing + head);
	lent.entries = (void *)(lent.states + 2);
	tracing->values.items = (void *)(lent.entries + most);
	tracing->values.kept.most = o->values;
	lent.kinds = (void *)(tracing->values.items + o->values);
	tracing->copy.stack = (void *)(lent.kinds + most);
	tracing->copy.most = o->stack_copy;
	core_init(&tracing->core, &options, &lent);
	tracing->core.values = o->values ? &tracing->values : NULL;
	if (o->correction == CORRECTION_PROBE) {
		tracing->core.first_touches = &t->view->first_touches;
		tracing->core.waypoints = &tracing->waypoints;
	}
	return tracing;
}

static struct tracing *take_tracing(struct tracer *t, struct tracee_process *process)
{
	struct tracing *tracing = t->idle;

	if (tracing)
		t->idle = tracing->next;
	else
		tracing = new_tracing(t);
	if (tracing) {
		tracing->core.cache = &process->code->cache;
		tracing->core.options.restartable = &process->restartable;
	}
	return tracing;
}

static void give_tracing_back(struct tracer *t, struct tracing *tracing)
{
	tracing->next = t->idle;
	t->idle = tracing;
}

/* ---- the end of a trace -------------------------------------------------------------------- */

static struct traced *thread_of(struct drive *d)
{
	return (struct traced *)((char *)d - offsetof(struct traced, drive));
}

/* Not if its code was replaced meanwhile: what was decoded is not what has run. */
static int record(struct tracer *t, struct traced *thread)
{
	const struct trace *trace = &thread->tracing->core.trace;
	bool replaced = false;
	int rc = tracee_process_refresh(t, thread->process, trace->start, &replaced);

	for (unsigned i = 0; !rc && i < trace->count; i++)
		rc = tracee_process_refresh(t, thread->process, trace->entries[i].to, &replaced);
	if (replaced)
		tracer_count(t, COUNTER_EARLY + CORE_MISPREDICTED, 1);
	else if (!rc)
		rc = drive_record(&thread->drive);
	return rc;
}

static bool is_shared(const struct traced *thread)
{
	return thread->process->threads > 1;
}

/* Are its traces so long that other threads matter? */
static bool is_checked(const struct traced *thread)
{
	return is_shared(thread) && thread->tracer->options->session.depth > SHARED_DEPTH_LEAST;
}

static void learn_depth(struct traced *thread, bool right)
{
	shared_depth_learn(&thread->process->shared_depth, right,
			   thread->tracer->options->session.depth);
}

/* Was the trace what the thread ran? Other threads, which run on, may have written what it was
 * going to read. */
static bool was_so(struct traced *thread, bool right)
{
	const struct core *c = thread->drive.core;
	bool is_short = c->trace.count <= SHARED_DEPTH_LEAST;
	bool audited = thread->drive.state == TRACE_AUDITED;

	if (!is_shared(thread) || (is_short && !audited))
		return right;
	if (right && !audited && thread->drive.state != TRACE_TIMING)
		right = thread->drive.armed
				? thread->patience
				: memory_reader_is_unchanged(&thread->tracer->view->reader);
	if (audited || !right)
		learn_depth(thread, right);
	return right;
}

void tracer_trace_init(struct tracer *t)
{
	const struct session_options *o = &t->options->session;

	t->share = budget_full_share(o->budget);
	t->trace_ns = budget_first_ns(o->period, t->share);
	if (selection_is_any(&t->options->selection) && t->trace_ns < COLD_NS)
		t->trace_ns = COLD_NS;
}

static bool has_budget(const struct tracer *t)
{
	return t->options->session.budget;
}

uint64_t tracer_trace_interval_ns(const struct tracer *t)
{
	const struct session_options *o = &t->options->session;

	if (!has_budget(t))
		return o->period;
	return budget_thinned_ns(
		budget_interval_ns(t->trace_ns, t->share, o->period, BUDGET_ALL_COME),
		t->converged);
}

/* A stop for the trace begins; it ends. */
static void begin_stop(struct traced *thread)
{
	if (has_budget(thread->tracer))
		thread->begun_ns = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void end_stop(struct traced *thread)
{
	if (has_budget(thread->tracer))
		thread->spent_ns += clock_handler_ns(CLOCK_THREAD_CPUTIME_ID) - thread->begun_ns;
}

/* A trace costs what it costs: samples get rarer until that is a small part of the time. */
static void keep_budget(struct tracer *t, struct traced *thread)
{
	if (!has_budget(t))
		return;
	end_stop(thread);
	t->trace_ns = budget_average_ns(t->trace_ns, thread->spent_ns);
	thread->spent_ns = 0;
	if (thread->events.signal)
		sampler_set_mean(
			&thread->events.sampler,
			traced_turns_interval_ns(&thread->turns, tracer_trace_interval_ns(t)));
}

static void begin_reading(struct tracer *t, const struct traced *thread)
{
	struct memory_reader *reader = &t->view->reader;
	bool noted = is_checked(thread) || t->options->session.correction == CORRECTION_PROBE;

	reader->pid = (uint32_t)thread->tid; /* the first thread may have ended */
	reader->is_there = tracee_pages_are_there;
	reader->there = &thread->process->pages;
	tracee_pages_forget(&thread->process->pages);
	memory_reader_begin(reader, true);
	reader->lines = noted ? &t->view->lines : NULL;
	if (noted)
		cache_lines_begin(reader->lines);
}

/* ---- how long it takes ---------------------------------------------------------------------
 *
 * The stopwatch (collector/engine/stopwatch.h) of a trace that is complete, before it is written:
 * its first-touch points are timed by the kernel (tracee_events.h), and the thread stops at the
 * last one.
 */

/* The thread's trace is complete: is it one that may be timed? */
static bool wants_timing(const struct tracer *t, const struct traced *thread)
{
	return t->options->session.correction == CORRECTION_PROBE && !thread->drive.core->stopped &&
	       thread->events.signal;
}

/* Let the clock interrupt the thread. */
static bool interrupt(struct traced *thread, uint64_t ns)
{
	const struct event *clock = &thread->tracer->options->session.event;

	return !tracee_events_interrupt(&thread->events, thread->tid, clock, ns);
}

/* There is no segment to time: interrupt the thread. False: it would not be found. */
static bool start_interrupt(struct tracer *t, struct traced *thread)
{
	const struct core *c = thread->drive.core;

	if (!waypoints_suffice(c->waypoints) ||
	    (is_shared(thread) && !memory_reader_is_unchanged(&t->view->reader)) ||
	    !interrupt(thread, STOPWATCH_INTERRUPT_OUTSIDE_NS))
		return false;
	thread->stopwatch.interrupted = true;
	return true;
}

/* The thread is stopped: let it run to the last first-touch point. False: there is nothing to time.
 */
static bool start_timing(struct tracer *t, struct traced *thread)
{
	struct stopwatch *w = &thread->stopwatch;

	if (stopwatch_start(w, thread->drive.core)) {
		if (tracee_events_time(&thread->events, thread->tid, w->at))
			return false;
	} else if (!start_interrupt(t, thread)) {
		return false;
	}
	w->elsewhere = true;
	/* other threads' traces are followed meanwhile */
	thread->tracing->path = core_work(thread->drive.core, &t->view->lines);
	tracer_count(t, COUNTER_PROBES, 1);
	return true;
}

/* Where is the interrupted thread, and how long did it take to get there? What it loads on the way
 * to a waypoint is not the path's. */
static bool find_thread(struct tracer *t, struct traced *thread, struct rate_work *ran,
			uint64_t *ns)
{
	struct core *c = thread->drive.core;
	struct tracee_registers registers;

	if (!tracee_events_came_to(&thread->events, STOPWATCH_TO, ns) ||
	    tracee_registers(thread->tid, &registers) || registers.in_system_call ||
	    tracee_load(thread->tid, &registers, core_state(c)))
		return false;
	begin_reading(t, thread);
	t->view->reader.lines = NULL;
	return stopwatch_locate(c, &t->view->reader.memory, ran);
}

/* The thread was interrupted, and is stopped. True: it is to be once more. */
static bool end_interrupt(struct tracer *t, struct traced *thread)
{
	struct rate_work ran;
	uint64_t ns;

	if (find_thread(t, thread, &ran, &ns) &&
	    stopwatch_interrupt(&thread->stopwatch, &ran, ns * 1000, ns, &t->costs) &&
	    interrupt(thread, STOPWATCH_INTERRUPT_MORE * STOPWATCH_INTERRUPT_OUTSIDE_NS))
		return true;
	tracer_count(t, thread->stopwatch.ps ? COUNTER_PROBES_TIMED : COUNTER_PROBES_DIVERGED, 1);
	return false;
}

/* The thread came to the last point, or elsewhere. */
static void end_timing(struct tracer *t, struct traced *thread)
{
	struct stopwatch *w = &thread->stopwatch;
	uint64_t before = 0, now;
	bool ended = false;

	while (!ended) {
		if (!tracee_events_came_to(&thread->events, w->awaited, &now) || now < before)
			break;
		ended = !stopwatch_stop(w, (now - before) * 1000, now - before, &t->costs);
		before = now;
	}
	tracer_count(t, ended ? COUNTER_PROBES_TIMED : COUNTER_PROBES_DIVERGED, 1);
}

/* The weight of the thread's trace, branches per time times the interval of samples. What its time
 * was is learnt for later ones. */
static void weigh_trace(struct tracer *t, struct traced *thread, struct trace_record_sample *sample)
{
	const struct session_options *o = &t->options->session;
	const struct core *core = thread->drive.core;
	const struct rate_work *timed = &thread->tracing->path;
	const struct rate_work work = timed->branches ? *timed : core_work(core, &t->view->lines);

	if (o->correction && core->options.depth >= CORRECTION_DEPTH_LEAST)
		sample->weight = stopwatch_weight(&thread->stopwatch, &work,
						  (enum timer_correction)o->correction, &o->machine,
						  &t->costs, thread->interval);
}

/* ---- struct core_backend ------------------------------------------------------------------- */

/* Behind these the thread may block or ignore SIGTRAP, or be elsewhere. */
static bool changes_signals(const struct core *c)
{
	int64_t number;

	if (c->pending != PENDING_BEHIND)
		return false;
	number = isa_state_system_call(c->now);
	return number == -2 || number == SYS_rt_sigaction || number == SYS_rt_sigprocmask ||
	       number == SYS_rt_sigreturn || number == SYS_rt_sigsuspend;
}

/* The kernel's SIGTRAPs (of debug registers; of steps, tracee_stepped) end a program's blocking or
 * ignoring of it, and its handler with that. */
static bool takes_trap(const struct traced *thread)
{
	return !tracee_blocks(thread->tid, SIGTRAP) && !tracee_ignores_trap(thread->tid);
}

/* Does the signal come that announces a hit? Debug registers are for machines without events: the
 * program would die of them if we were killed. */
static bool hears_breakpoint(const struct traced *thread)
{
	if (thread->events.signal)
		return !tracee_blocks(thread->tid, thread->events.signal) &&
		       (ISA_HOST_PASSES_BREAKPOINT || takes_trap(thread));
	return thread->tracer->no_events && takes_trap(thread);
}

/* Where a thread does not pass its breakpoint, the kernel lets hits pass, but not of debug
 * registers. */
static int break_at(struct traced *thread, const struct core_action *action)
{
	unsigned skip = ISA_HOST_PASSES_BREAKPOINT ? 0 : action->skip;

	if (thread->events.signal)
		return tracee_events_break_at(&thread->events, thread->tid, action->address, skip);
	return skip ? -EOPNOTSUPP : tracee_break_at(thread->tid, action->address);
}

static void unbreak(struct traced *thread)
{
	if (thread->events.signal)
		tracee_events_unbreak(&thread->events);
	else
		tracee_unbreak(thread->tid);
}

static bool set_breakpoint(struct drive *d, const struct core_action *action)
{
	struct traced *thread = thread_of(d);
	struct tracer *t = thread->tracer;

	d->armed = true; /* perhaps half, whatever comes */
	if (t->stopping)
		return false;
	if (changes_signals(d->core))
		tracer_count(t, COUNTER_EARLY + CORE_SYSTEM_CALL, 1);
	else if (!hears_breakpoint(thread))
		tracer_count(t, COUNTER_TRAP_BLOCKED, 1);
	else if (break_at(thread, action))
		tracer_count(t, COUNTER_NO_BREAKPOINT, 1);
	else {
		thread->patience = PATIENCE_TICKS;
		end_stop(thread);
		return true;
	}
	return false;
}

/* The thread is timed while it runs what was foreseen. */
static bool defer_finish(struct drive *d)
{
	struct traced *thread = thread_of(d);
	struct tracer *t = thread->tracer;

	if (t->stopping || !wants_timing(t, thread) || !hears_breakpoint(thread) ||
	    !start_timing(t, thread))
		return false;
	d->armed = true;
	thread->patience = 0;
	end_stop(thread);
	return true;
}

static int finish(struct drive *d, bool right)
{
	struct traced *thread = thread_of(d);
	struct tracer *t = thread->tracer;
	struct tracing *tracing = thread->tracing;
	int rc;

	if (d->armed)
		unbreak(thread);
	t->checks++;
	rc = was_so(thread, right) ? record(t, thread) : 0;
	keep_budget(t, thread);
	counters_add_core(t->result->counters, &tracing->core.counters, &tracing->seen);
	tracer_count(t, COUNTER_PAGES, t->view->reader.asked);
	t->view->reader.asked = 0;
	thread->tracing = NULL;
	*d = (struct drive){0};
	give_tracing_back(t, tracing);
	return rc;
}

static void fill_sample(struct drive *d, struct trace_record_sample *sample)
{
	struct traced *thread = thread_of(d);

	*sample = (struct trace_record_sample){.pid = thread->process->pid,
					       .tid = (uint32_t)thread->tid,
					       .time = clock_now_ns(),
					       .period = thread->period};
	weigh_trace(thread->tracer, thread, sample);
	thread->tracer->result->sampled_ns += thread->interval;
}

static void *reserve(struct drive *d, size_t bytes)
{
	(void)bytes;
	return thread_of(d)->tracer->record;
}

static int publish(struct drive *d, void *record, size_t bytes)
{
	struct tracer *t = thread_of(d)->tracer;

	convergence_add(&t->convergence, record, bytes);
	return perfdata_writer_append(&t->writer, record, bytes, t->error) ? -SOFTLBR_E_SYSTEM : 0;
}

static const struct core_backend backend = {
	.set_breakpoint = set_breakpoint,
	.defer_finish = defer_finish,
	.finish = finish,
	.fill_sample = fill_sample,
	.reserve = reserve,
	.publish = publish,
};

/* ---- one trace ----------------------------------------------------------------------------- */

static unsigned depth(const struct traced *thread)
{
	unsigned whole = thread->tracer->options->session.depth;

	return is_shared(thread) ? shared_depth_of(&thread->process->shared_depth, whole) : whole;
}

int tracer_trace_begin(struct tracer *t, struct traced *thread,
		       const struct tracee_registers *registers)
{
	struct tracing *tracing;
	int rc;

	t->checks++;
	rc = tracee_process_refresh(t, thread->process, isa_registers_pc(&registers->isa), NULL);
	if (rc)
		return rc;
	tracing = take_tracing(t, thread->process);
	if (!tracing)
		return error_set_nomem(t->error);
	if (tracee_load(thread->tid, registers, core_state(&tracing->core))) {
		give_tracing_back(t, tracing);
		return 0; /* killed in this moment */
	}
	if (thread->process->maps.writes_code)
		decode_cache_forget(&thread->process->code->cache);
	thread->tracing = tracing;
	thread->drive = (struct drive){.backend = &backend,
				       .counters = t->result->counters,
				       .stack = t->options->session.stack,
				       .recorded = t->options->session.recorded,
				       .filter = t->options->session.branches,
				       .core = &tracing->core,
				       .by_time = t->options->session.event.time};
	tracing->core.options.depth = depth(thread);
	tracing->core.options.depth_most = is_shared(thread) ? 0 : t->options->session.depth_most;
	tracing->core.options.audit_untimed = is_checked(thread);
	begin_stop(thread);
	thread->stopwatch.ps = 0;
	thread->stopwatch.interrupted = false;
	tracing->path.branches = 0;
	begin_reading(t, thread);
	if (tracing->copy.most) {
		stack_copy_take(&tracing->copy, core_state(&tracing->core), &t->view->reader);
		thread->drive.copy = &tracing->copy;
	}
	return drive_begin(&thread->drive, &t->view->reader.memory);
}

int tracer_trace_resume(struct tracer *t, struct traced *thread)
{
	struct tracee_registers registers;

	tracer_count(t, COUNTER_HITS, 1);
	if (!thread->tracing) /* cut while the hit was under way */
		return 0;
	if (thread->drive.state == TRACE_TIMING) {
		begin_stop(thread);
		if (!thread->stopwatch.interrupted) {
			end_timing(t, thread);
		} else if (end_interrupt(t, thread)) {
			end_stop(thread);
			return 0;
		}
		if (thread->stopwatch.ps)
			thread->drive.state = TRACE_AUDITED;
		return finish(&thread->drive, true);
	}
	if (tracee_registers(thread->tid, &registers) ||
	    tracee_load(thread->tid, &registers, core_state(thread->drive.core)))
		return 0;
	switch (drive_hit(&thread->drive, false)) {
	case DRIVE_SPURIOUS:
		return tracer_trace_cut(thread, true);
	case DRIVE_SKIPPED:
		return 0;
	case DRIVE_STEPPING:
		return drive_step(&thread->drive);
	case DRIVE_AWAITED:
		break;
	}
	begin_stop(thread);
	begin_reading(t, thread);
	return drive_resume(&thread->drive, &t->view->reader.memory);
}

int tracer_trace_cut(struct traced *thread, bool alive)
{
	if (!thread->tracing)
		return 0;
	begin_stop(thread);
	if (thread->drive.state == TRACE_TIMING && !thread->stopwatch.interrupted)
		/* it may have got to the end, with another event's signal pending */
		end_timing(thread->tracer, thread);
	if (!alive)
		thread->drive.armed = false;
	return finish(&thread->drive, true);
}

int tracer_trace_lose(struct traced *thread, bool alive)
{
	/* a trace that is timed is complete */
	tracer_count(thread->tracer, COUNTER_LOST,
		     thread->tracing && thread->drive.state != TRACE_TIMING);
	return tracer_trace_cut(thread, alive);
}
