/* SPDX-License-Identifier: MIT */
/* The collector of a program that links it: include/softlbr/collector.h. */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/error.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "collector/engine/core.h"
#include "collector/engine/trace_record.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/life/process_life.h"
#include "collector/plan/plan.h"
#include "collector/recorder/convergence.h"
#include "collector/recorder/recording_file.h"
#include "collector/recorder/synthesize.h"
#include "collector/recorder/trace_writer.h"
#include "collector/shared/session.h"
#include "softlbr/collector.h"

#define DRAIN_NS    50000000
#define CHUNK_COUNT 256u

/* This process's own mappings, for a recording that begins in the middle of its life. */
struct own_maps {
	uint64_t loads; /* dl_iterate_phdr's count of loaded objects, when last read */
	struct synthesize_maps known;
};

/* Who links us may hear of each trace. */
struct trace_listener {
	void (*trace)(void *context, const struct softlbr_collector_trace *trace);
	void *context;
	bool tagged; /* the session's records have an event's number */
};

/* The calls of softlbr/collector.h name no recording: there is one. Written by them, and what is
 * said so by the writer thread; no handler touches it. */
static struct {
	bool running;
	bool fork_watched; /* once for all recordings */
	struct trace_writer trace_writer;
	struct own_maps maps;
	pthread_t writer;
	pthread_mutex_t lock; /* of the trace writer: the writer thread's, and dump's and reset's */
	pthread_cond_t wake;  /* the writer thread, with that lock */
	bool ends;	      /* the recording: with that lock */
	struct convergence_options stop;
	struct convergence convergence;
	struct trace_listener listener;
	char *output;
	struct softlbr_error error; /* the writer thread's */
} self;

static void tell_trace(const struct trace_listener *l, const struct trace_record_read *r)
{
	struct softlbr_collector_branch branches[SESSION_STACK];
	const struct softlbr_collector_trace t = {.size = sizeof(t),
						  .branches = branches,
						  .count = r->count,
						  .start = r->start,
						  .tid = r->tid,
						  .time_ns = r->time,
						  .weight = r->weight};

	for (size_t i = 0; i < r->count; i++)
		branches[i] = (struct softlbr_collector_branch){r->stack[i].from, r->stack[i].to};
	l->trace(l->context, &t);
}

/* Of each among whole records, which were checked. */
static void tell_traces(const struct trace_listener *l, const void *records, size_t bytes)
{
	const struct perf_event_header *h;
	struct trace_record_read r;

	for (size_t at = 0; (h = trace_record_next(records, bytes, &at));)
		if (trace_record_take(h, l->tagged, &r) && r.count <= SESSION_STACK)
			tell_trace(l, &r);
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *loads)
{
	(void)size;
	*(uint64_t *)loads = info->dlpi_adds + info->dlpi_subs;
	return 1; /* the first tells */
}

/* Append COMM and the executable mappings; afterwards only when an object was loaded or unloaded
 * since the last call. */
static int append_own_maps(struct own_maps *m, struct perfdata_writer *w, struct softlbr_error *e)
{
	uint32_t pid = (uint32_t)getpid();
	uint64_t loads = 0;
	bool changed;

	dl_iterate_phdr(count_loads, &loads);
	if (loads == m->loads)
		return 0;
	if (!m->loads && synthesize_comm(w, (struct synthesize_task){pid, pid}, false, e))
		return -SOFTLBR_E_SYSTEM;
	m->loads = loads;
	return synthesize_maps(w, (struct synthesize_task){pid, pid}, &m->known, &changed, e);
}

/* A forked child is a process of its own in the same recording, which is the parent's to end. */
static void after_fork(void)
{
	process_after_fork();
	self.running = false;
}

static int drain(void)
{
	if (append_own_maps(&self.maps, &self.trace_writer.writer, &self.error) ||
	    trace_writer_drain(&self.trace_writer, &self.error))
		return -SOFTLBR_E_SYSTEM;
	return trace_writer_sync(&self.trace_writer, &self.error);
}

static void take_traces(void *unused, const void *records, size_t bytes)
{
	(void)unused;
	convergence_add(&self.convergence, records, bytes);
	if (self.listener.trace)
		tell_traces(&self.listener, records, bytes);
}

/* With the lock. */
static void update_trace_writer(bool failed)
{
	if (failed)
		trace_writer_set_state(&self.trace_writer, SESSION_STOP);
	trace_writer_set_converged(
		&self.trace_writer,
		convergence_is_reached(&self.stop, &self.convergence, self.trace_writer.converged));
}

/* By a clock that nobody sets. */
static struct timespec next_drain(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += DRAIN_NS;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void *run_writer(void *unused)
{
	bool failed = false;

	(void)unused;
	if (trace_writer_hold(&self.trace_writer, NULL)) {
		/* what a killed program leaves behind is not given back, then */
	}
	pthread_mutex_lock(&self.lock);
	do {
		struct timespec until = next_drain();

		failed = failed || drain();
		update_trace_writer(failed);
		if (!self.ends)
			pthread_cond_timedwait(&self.wake, &self.lock, &until);
	} while (!self.ends);
	pthread_mutex_unlock(&self.lock);
	return NULL;
}

/* By libc's own pthread_create: this thread is not to be profiled; and no signal is its business.
 * SIGTRAP stays open in the caller, who is recorded already. */
static int start_writer(struct softlbr_error *e)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		      void *) = dlsym(RTLD_NEXT, "pthread_create");
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	sigdelset(&all, SIGTRAP);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = create(&self.writer, NULL, run_writer, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	atomic_write_relaxed(&handler_state.process.has_writer, !rc);
	return rc ? error_set(e, SOFTLBR_E_SYSTEM, NULL, "cannot make the writer thread: %s",
			      strerror(rc))
		  : 0;
}

/* Locks of a new recording. */
static void begin_locks(void)
{
	pthread_condattr_t how;

	pthread_mutex_init(&self.lock, NULL);
	pthread_condattr_init(&how);
	pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
	pthread_cond_init(&self.wake, &how);
	pthread_condattr_destroy(&how);
}

/* What is named by a text. */
static int read_names(struct session_options *s, const struct softlbr_collector_options *o,
		      struct softlbr_error *e)
{
	const char *wrong;

	if (o->branches && !trace_filter_read(o->branches, &s->branches, &wrong))
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "softlbr_collector_start: branches \"%s\": \"%s\" is no kind of "
				 "branches, or not with the others",
				 o->branches, wrong);
	s->correction = CORRECTION_AUTO;
	if (o->timer_correction && !plan_find_correction(o->timer_correction, &s->correction))
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "softlbr_collector_start: timer correction \"%s\" is not auto, "
				 "model, probe or off",
				 o->timer_correction);
	return 0;
}

static int check_sizes(const struct softlbr_collector_options *o, struct softlbr_error *e)
{
	if (o->values > SITE_VALUES_MOST)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "softlbr_collector_start: %u values are above %u", o->values,
				 SITE_VALUES_MOST);
	if (o->budget && (o->budget < BUDGET_LEAST || o->budget > BUDGET_WHOLE))
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "softlbr_collector_start: a budget of %u is not from %u to %u",
				 o->budget, BUDGET_LEAST, BUDGET_WHOLE);
	if (o->stack_copy > PERFDATA_STACK_BYTES_MAX || o->stack_copy % 8)
		return error_set(
			e, SOFTLBR_E_USAGE, NULL,
			"softlbr_collector_start: a copy of %u bytes of the stack is not a "
			"multiple of 8 up to %u",
			o->stack_copy, PERFDATA_STACK_BYTES_MAX);
	return 0;
}

/* As softlbr record plans it, from inside. */
static int make_plan(struct plan *plan, const struct softlbr_collector_options *o,
		     struct softlbr_error *e)
{
	struct plan_request r = {.event = o->event ? o->event : "auto",
				 .side = PLAN_INSIDE,
				 .stack_copy_given = o->stack_copy != 0,
				 .session = {.period = o->period,
					     .depth = o->depth,
					     .budget = o->budget,
					     .lookahead = CORE_FULL,
					     .audit = PLAN_AUDIT,
					     .values = o->values,
					     .stack_copy = o->stack_copy,
					     .chunk_count = CHUNK_COUNT}};
	struct plan_machine machine = plan_machine_own;
	int rc;

	/* a child of the program, to try what a filter does, would run the program's fork handlers
	 * and send it a SIGCHLD */
	machine.kills = NULL;
	if (o->depth > TRACE_DEPTH_MAX)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "softlbr_collector_start: depth %u is above %u", o->depth,
				 TRACE_DEPTH_MAX);
	rc = read_names(&r.session, o, e) ?: check_sizes(o, e) ?: plan_check(&r, e);
	return rc ?: plan_make(plan, &r, &machine, e);
}

static void close_recording(void)
{
	memory_free(self.output);
	self.output = NULL;
	trace_writer_close(&self.trace_writer);
	synthesize_maps_deinit(&self.maps.known);
	convergence_deinit(&self.convergence);
}

int softlbr_collector_start(const struct softlbr_collector_options *options,
			    struct softlbr_error *e)
{
	struct softlbr_collector_options o = {0};
	bool fork_watched = self.fork_watched;
	struct plan plan = {0};
	int rc;

	if (self.running || handler_state.process.pid)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "softlbr_collector_start: this process is being recorded already");
	rc = sized_struct_take(&o, sizeof(o), options, e) ?: make_plan(&plan, &o, e);
	if (rc)
		return rc;
	memset(&self, 0, sizeof(self));
	self.fork_watched = fork_watched;
	self.stop.thins = plan.thins;
	begin_locks();
	self.output = file_link_follow(o.output ? o.output : "perf.data", e);
	if (!self.output)
		return -SOFTLBR_E_SYSTEM;
	if (!self.fork_watched)
		self.fork_watched = !process_watch_forks(after_fork);
	if (trace_writer_open(&self.trace_writer, &plan.session, SESSION_RUN, self.output, e)) {
		close_recording();
		return -SOFTLBR_E_SYSTEM;
	}
	self.listener = (struct trace_listener){
		.trace = o.trace, .context = o.context, .tagged = session_is_tagged(&plan.session)};
	self.trace_writer.common.listener = (struct process_buffer_listener){take_traces, NULL};
	/* what is mapped goes first: samples are looked up in it by their time */
	rc = append_own_maps(&self.maps, &self.trace_writer.writer, e);
	if (rc) {
		close_recording();
		return rc;
	}
	rc = process_join(self.trace_writer.directory.path);
	if (rc) {
		rc = error_set(e, SOFTLBR_E_SYSTEM, NULL, "cannot start recording: %s",
			       strerror(-rc));
	} else {
		process_add_existing_threads();
		rc = start_writer(e);
	}
	if (rc) {
		process_leave();
		close_recording();
		return rc;
	}
	self.running = true;
	return 0;
}

/* What was recorded so far becomes @kept, or nothing, and a new recording begins. */
static int begin_anew(const char *kept)
{
	static char *const no_command[] = {NULL};
	const struct session_options *o = &self.trace_writer.options;
	struct softlbr_error *e = &self.error;
	uint64_t counters[COUNTER_COUNT];
	int refused, rc = drain();

	if (rc)
		return rc;
	if (kept) {
		trace_writer_count(&self.trace_writer, counters, &refused);
		rc = recording_file_rotate_to(&self.trace_writer.writer, o, counters, no_command,
					      self.output, kept, e);
	} else {
		recording_file_remove(&self.trace_writer.writer, self.output);
		perfdata_writer_abandon(&self.trace_writer.writer);
		rc = recording_file_open(&self.trace_writer.writer, o, self.output, e);
	}
	return rc ?: trace_writer_tell_again(&self.trace_writer, e);
}

static int change_recording(const char *what, const char *kept, struct softlbr_error *e)
{
	int rc;

	if (!self.running)
		return error_set(e, SOFTLBR_E_USAGE, NULL, "%s: not recording", what);
	pthread_mutex_lock(&self.lock);
	rc = self.error.code ? -SOFTLBR_E_SYSTEM : begin_anew(kept);
	if (rc) {
		trace_writer_set_state(&self.trace_writer, SESSION_STOP);
		if (e && !e->code)
			*e = self.error;
	}
	pthread_mutex_unlock(&self.lock);
	return rc;
}

int softlbr_collector_dump(const char *path, struct softlbr_error *e)
{
	if (!path || (self.running && !strcmp(path, self.output)))
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "softlbr_collector_dump: give another file than the one that is "
				 "being written");
	return change_recording("softlbr_collector_dump", path, e);
}

int softlbr_collector_reset(struct softlbr_error *e)
{
	return change_recording("softlbr_collector_reset", NULL, e);
}

int softlbr_collector_measure(struct softlbr_collector_cost *cost, struct softlbr_error *e)
{
	struct softlbr_collector_cost c = {0};
	uint64_t counters[COUNTER_COUNT];
	int refused;

	if (!self.running)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "softlbr_collector_measure: not recording");
	pthread_mutex_lock(&self.lock);
	trace_writer_count(&self.trace_writer, counters, &refused);
	pthread_mutex_unlock(&self.lock);
	c.traces = counters[COUNTER_TRACES];
	c.period = c.traces ? counters[COUNTER_PERIODS] / c.traces : 0;
	c.spent_ns = counters[COUNTER_HANDLER_NS];
	return sized_struct_give(cost, &c, sizeof(c), e);
}

int softlbr_collector_stop(struct softlbr_error *e)
{
	static char *const no_command[] = {NULL};
	int rc;

	if (!self.running)
		return error_set(e, SOFTLBR_E_USAGE, NULL, "softlbr_collector_stop: not recording");
	self.running = false;
	trace_writer_set_state(&self.trace_writer, SESSION_STOP);
	process_leave();
	pthread_mutex_lock(&self.lock);
	self.ends = true;
	pthread_cond_signal(&self.wake);
	pthread_mutex_unlock(&self.lock);
	pthread_join(self.writer, NULL);
	atomic_write_relaxed(&handler_state.process.has_writer, 0);
	rc = self.error.code ? -SOFTLBR_E_SYSTEM : drain();
	if (!rc)
		rc = trace_writer_finish(&self.trace_writer, no_command, &self.error);
	if (rc && e && !e->code)
		*e = self.error;
	close_recording();
	return rc;
}
