/* SPDX-License-Identifier: MIT */
/*
 * A recording is read once if all that maps modules precedes the first sample, as it does when a
 * single program was recorded. Else it is read twice: first what maps modules, put in order of
 * time, then the samples. So the order of records in the file, which is by CPU buffers, does not
 * matter, and nothing has to be held back to sort it.
 */
#include "converter/samples/aggregate_private.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "converter/samples/branch_stacks.h"

struct pass {
	const struct aggregate_options *options;
	struct aggregate_result *result;
	struct address_history *history;
	struct branch_stacks stacks;
	struct trace_watcher watcher; /* hands on to that of the options */
	struct step_counter *counter;
	uint64_t all_bytes; /* of the recording; 0 = unknown */
	unsigned unreported;
	bool built; /* the history is complete: samples are counted */
	const struct perfdata_info *info;
	bool is_text;			       /* of perf script */
	VECTOR(struct aggregate_event) events; /* by the recording's event number */
	struct map times; /* (the recording's id, event number) -> n = enabled, m = running */
};

/* A module was mapped behind the first sample: two passes are needed. */
#define PASS_AGAIN 1

/* Samples between two reports of progress. */
#define PROGRESS_EVERY 4096

static int take_change(void *context, const struct perfdata_info *info,
		       const struct perfdata_record *record, struct softlbr_error *e)
{
	struct pass *pass = context;
	struct perfdata_record copy = *record;

	if (!info->has_time)
		copy.time = 0; /* then the order in the file is all there is */
	return address_history_add(pass->history, &copy) ? error_set_nomem(e) : 0;
}

static bool in_part(const struct aggregate_options *o, const struct perfdata_info *info,
		    const struct perfdata_record *record)
{
	uint64_t key = info->has_time ? record->time : record->offset;

	if (!o->parts)
		return true;
	/* mixed as by splitmix64, since times may be multiples of a period */
	key = (key ^ key >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	key = (key ^ key >> 27) * UINT64_C(0x94d049bb133111eb);
	return (key ^ key >> 31) % o->parts == o->part;
}

/* Compressed records expand to more bytes than there are: then it ends early. */
static void report_progress(struct pass *pass, const struct perfdata_record *record)
{
	const struct aggregate_options *o = pass->options;

	if (!o->progress.report || pass->unreported++ < PROGRESS_EVERY)
		return;
	pass->unreported = 0;
	o->progress.report(o->progress.context, record->offset, pass->all_bytes);
}

static int take_values(struct pass *pass, const struct perfdata_info *info,
		       const struct perfdata_record *record)
{
	struct address_space *s = address_history_at(pass->history, record->sample.pid,
						     info->has_time ? record->time : 0,
						     record->offset);

	return s ? value_samples_add(&pass->history->values, s, info, record) : -1;
}

static int take_load(struct branch_details *d, const struct perfdata_sample *s)
{
	const struct branch_latency load = {
		.begin = s->ip,
		.end = s->ip,
		.cycles = (uint16_t)(s->weight < UINT16_MAX ? s->weight : UINT16_MAX)};

	return branch_details_add_latency(&d->loads, &load, s->period);
}

static int take_path(struct branch_details *d, const struct perfdata_sample *s)
{
	if (branch_details_add_path(&d->model, s->ip, 1, s->period))
		return -1;
	return s->weight && (branch_details_add_path(&d->timed, s->ip, 1, s->weight) ||
			     branch_details_add_path(&d->timed_model, s->ip, 1, s->period))
		       ? -1
		       : 0;
}

/* Take the samples that softlbr recorded beside its traces; values are taken before. */
static int take_beside(struct pass *pass, const struct perfdata_info *info,
		       const struct perfdata_record *record)
{
	enum perfdata_samples kind = info->events[record->sample.event].samples;
	struct address_space *s = address_history_at(pass->history, record->sample.pid,
						     info->has_time ? record->time : 0,
						     record->offset);
	struct branch_details *details;

	if (!s)
		return -1;
	if (kind == PERFDATA_STACKS)
		return branch_stacks_add_copy(&pass->stacks, s, record);
	if (!pass->options->details)
		return 0;
	details = address_space_details(s);
	if (!details)
		return -1;
	return kind == PERFDATA_LOADS	? take_load(details, &record->sample)
	       : kind == PERFDATA_PATHS ? take_path(details, &record->sample)
					: 0;
}

/* They grow: the last is the greatest, in whatever order records come. */
static int note_times(struct pass *pass, const struct perfdata_sample *s)
{
	struct map_entry *e;

	if (!s->time_enabled)
		return 0;
	e = map_at(&pass->times, s->id, s->event);
	if (!e)
		return -1;
	if (s->time_enabled > e->n) {
		e->n = s->time_enabled;
		e->m = s->time_running;
	}
	return 0;
}

static int hand_moment_on(const struct pass *pass, const struct address_space *s,
			  const struct perfdata_record *record, uint64_t times)
{
	const struct aggregate_watcher *w = pass->options->watcher;
	const struct aggregate_moment moment = {s, &pass->info->events[record->sample.event],
						record, times};

	return times && w && w->take_moment ? w->take_moment(w->context, pass->history, &moment)
					    : 0;
}

static int take_sample(void *context, const struct perfdata_info *info,
		       const struct perfdata_record *record, struct softlbr_error *e)
{
	struct pass *pass = context;
	struct funnel *funnel = &pass->result->funnel;
	const uint64_t before = funnel->samples;
	struct aggregate_event *event;
	struct address_space *s;

	if (record->type != PERF_RECORD_SAMPLE) {
		funnel->samples_lost += record->lost;
		return 0;
	}
	if (!in_part(pass->options, info, record))
		return 0;
	report_progress(pass, record);
	if (pass->options->resolve_values && take_values(pass, info, record))
		return error_set_nomem(e);
	if (info->events[record->sample.event].samples != PERFDATA_MOMENTS)
		return take_beside(pass, info, record) ? error_set_nomem(e) : 0;
	event = &pass->events.items[record->sample.event];
	if (!event->counted) {
		event->samples += 1 + record->sample.repeats;
		funnel->samples_of_other_events += 1 + record->sample.repeats;
		return 0;
	}
	if (record->sample.time_enabled &&
	    sample_times_add(&pass->history->times, &info->events[record->sample.event].attr,
			     &record->sample))
		return error_set_nomem(e);
	s = address_history_at(pass->history, record->sample.pid, info->has_time ? record->time : 0,
			       record->offset);
	if (!s || branch_stacks_add(&pass->stacks, s, info, record))
		return error_set_nomem(e);
	if (hand_moment_on(pass, s, record, funnel->samples - before))
		return error_set_nomem(e);
	event->samples += funnel->samples - before;
	event->count += (funnel->samples - before) * record->sample.period;
	if (note_times(pass, &record->sample))
		return error_set_nomem(e);
	if (info->has_time) {
		pass->history->first_ns = order_least_known(pass->history->first_ns, record->time);
		funnel->first_ns = order_least_known(funnel->first_ns, record->time);
		if (record->time > funnel->last_ns)
			funnel->last_ns = record->time;
	}
	return 0;
}

static int build_history(struct pass *pass, struct softlbr_error *e)
{
	pass->built = true;
	return address_history_build(pass->history) ? error_set_nomem(e) : 0;
}

/* Changes until the first sample, then samples; PASS_AGAIN when a change follows. */
static int take_any(void *context, const struct perfdata_info *info,
		    const struct perfdata_record *record, struct softlbr_error *e)
{
	struct pass *pass = context;
	int rc = 0;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		if (!pass->built)
			rc = build_history(pass, e);
		return rc ? rc : take_sample(context, info, record, e);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return take_sample(context, info, record, e);
	}
	rc = take_change(context, info, record, e);
	return !rc && pass->built && pass->history->changes.count ? PASS_AGAIN : rc;
}

/* "cycles" and "cycles:u" are both asked for as "cycles", the latter by its whole name too. */
static bool is_event(const char *name, const char *asked)
{
	size_t length = strlen(asked);

	return !asked[0] || (!strncmp(name, asked, length) &&
			     (!name[length] || name[length] == ':' || name[length] == '/'));
}

static bool is_of_moments(const struct pass *pass, const struct aggregate_event *event)
{
	return pass->info->events[event - pass->events.items].samples == PERFDATA_MOMENTS;
}

static int no_such_event(const struct pass *pass, const char *name, struct softlbr_error *e)
{
	const struct aggregate_event *event;
	char names[400] = "";
	size_t used = 0;

	vector_each (&pass->events, event)
		if (used < sizeof(names) && is_of_moments(pass, event))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? ", " : "", event->name);
	return error_set(e, SOFTLBR_E_INPUT, name, "%s has no event %s; its events are %s", name,
			 pass->options->event, names);
}

static int choose_events(struct pass *pass, const char *name, struct softlbr_error *e)
{
	const char *asked = pass->options->event ? pass->options->event : "";
	const struct perfdata_info *info = pass->info;
	bool any = false;

	pass->events.count = 0;
	map_deinit(&pass->times);
	for (size_t i = 0; i < info->event_count; i++) {
		struct aggregate_event *event = vector_push(&pass->events);

		if (!event)
			return error_set_nomem(e);
		memcpy(event->name, info->events[i].name, sizeof(event->name));
		event->counted = info->events[i].samples == PERFDATA_MOMENTS &&
				 is_event(event->name, asked);
		any |= event->counted;
	}
	return any ? 0 : no_such_event(pass, name, e);
}

/* Sum up the counters of an event, which has one for each thread or CPU. */
static void sum_times(struct pass *pass)
{
	struct map_entry *i = NULL;

	while ((i = map_next(&pass->times, i))) {
		pass->events.items[i->b].enabled_ns += i->n;
		pass->events.items[i->b].running_ns += i->m;
	}
}

/* Add the recording's events to those of all. */
static int keep_events(struct pass *pass, struct softlbr_error *e)
{
	const struct aggregate_event *event;
	struct aggregate_event *all;

	sum_times(pass);
	vector_each (&pass->events, event) {
		if (!is_of_moments(pass, event))
			continue;
		vector_each (&pass->result->events, all)
			if (!strcmp(all->name, event->name))
				break;
		if (!all || all == pass->result->events.items + pass->result->events.count) {
			all = vector_push(&pass->result->events);
			if (!all)
				return error_set_nomem(e);
			*all = *event;
		} else {
			all->samples += event->samples;
			all->count += event->count;
			all->enabled_ns += event->enabled_ns;
			all->running_ns += event->running_ns;
		}
	}
	return 0;
}

static bool watches_traces(const struct aggregate_options *o)
{
	return o->watcher && o->watcher->take;
}

/*
 * Are the traces themselves of interest? Of hardware stacks only if asked for: they end at the
 * sample, where ours begin. With branches missing there are no traces.
 */
static bool keeps_traces(const struct pass *pass)
{
	const struct aggregate_options *o = pass->options;
	const struct perfdata_info *info = pass->info;

	for (size_t i = 0; i < info->event_count; i++) {
		const struct perf_event_attr *attr = &info->events[i].attr;

		if (branch_stacks_are_filtered(attr) &&
		    !(watches_traces(o) && branch_stacks_are_calls(attr)))
			return false;
	}
	return watches_traces(o) ||
	       (!o->watcher && (pass->result->binary || o->keep) &&
		o->frequencies != FREQUENCIES_RAW &&
		(o->frequencies != FREQUENCIES_AUTO || info->softlbr || pass->is_text));
}

static int hand_on(void *context, const struct traces *all, const struct trace *t)
{
	const struct pass *pass = context;
	const struct aggregate_watcher *w = pass->options->watcher;

	(void)all;
	return w->take(w->context, pass->history, t);
}

static int start_pass(struct pass *pass, const char *name, struct softlbr_error *e)
{
	pass->built = false;
	step_counter_free(pass->counter);
	pass->counter = step_counter_new(pass->options->threads);
	branch_stacks_deinit(&pass->stacks);
	branch_stacks_init(&pass->stacks, &pass->result->funnel, pass->counter,
			   pass->options->stride,
			   keeps_traces(pass) ? &pass->history->traces : NULL);
	pass->stacks.predictions = pass->options->predictions;
	pass->stacks.details = pass->options->details;
	pass->stacks.first_runs = pass->options->first_runs;
	if (pass->stacks.traces)
		pass->stacks.watcher = watches_traces(pass->options) ? &pass->watcher : NULL;
	if (!pass->counter || address_history_init(pass->history, &pass->result->modules))
		return error_set_nomem(e);
	return choose_events(pass, name, e);
}

struct filter {
	enum perfdata_wanted wanted;
	perfdata_handler *handler;
	void *context;
};

static int pass_wanted(void *context, const struct perfdata_info *info,
		       const struct perfdata_record *record, struct softlbr_error *e)
{
	const struct filter *f = context;
	bool sample = record->type == PERF_RECORD_SAMPLE;

	if (f->wanted == (sample ? PERFDATA_NO_SAMPLES : PERFDATA_ONLY_SAMPLES))
		return 0;
	return f->handler(f->context, info, record, e);
}

static int recording_each(struct recording *r, enum perfdata_wanted wanted,
			  perfdata_handler *handler, struct pass *pass, struct softlbr_error *e)
{
	struct filter f = {wanted, handler, pass};

	return r->perf ? perfdata_each(r->perf, wanted, handler, pass, e)
		       : perfscript_each(r->script, pass_wanted, &f, e);
}

/* Two passes: the records that map modules, then the samples. */
static int read_twice(struct pass *pass, struct recording *r, struct softlbr_error *e)
{
	struct softlbr_error first = {0};
	int rc = recording_each(r, PERFDATA_NO_SAMPLES, take_change, pass, &first);

	/* A file that is cut off is reported below, after all that is in it was counted. */
	if (rc && r->info->truncated_at == UINT64_MAX) {
		if (e && !e->code)
			*e = first;
		return rc;
	}
	rc = build_history(pass, e);
	return rc ? rc : recording_each(r, PERFDATA_ONLY_SAMPLES, take_sample, pass, e);
}

static int read_passes(struct pass *pass, struct recording *r, const struct funnel *before,
		       struct softlbr_error *e)
{
	/* A trace is handed on but once. */
	int rc = pass->options->watcher ? PASS_AGAIN
					: recording_each(r, PERFDATA_ALL, take_any, pass, e);

	if (rc != PASS_AGAIN)
		return rc;
	pass->result->funnel = *before;
	step_counter_free(pass->counter); /* before the spaces go */
	pass->counter = NULL;
	address_history_deinit(pass->history);
	rc = start_pass(pass, r->name, e);
	return rc ? rc : read_twice(pass, r, e);
}

/* The history is built, all is counted, and the events are those of the result too. */
static int passes_finish(struct pass *pass, struct softlbr_error *e)
{
	if (!pass->built && build_history(pass, e))
		return -SOFTLBR_E_SYSTEM;
	if (branch_stacks_finish(&pass->stacks))
		return error_set_nomem(e);
	return step_counter_finish(pass->counter) ? error_set_nomem(e) : keep_events(pass, e);
}

int recording_passes_read(struct recording *r, const struct aggregate_options *options,
			  struct aggregate_result *result, struct address_history *history,
			  bool *counted, struct softlbr_error *e)
{
	struct pass pass = {.options = options,
			    .result = result,
			    .history = history,
			    .info = r->info,
			    .is_text = r->script,
			    .all_bytes = r->bytes};
	const struct funnel before = result->funnel;
	int rc, rest;

	pass.watcher = (struct trace_watcher){hand_on, &pass};
	rc = start_pass(&pass, r->name, e);

	*counted = false;
	if (rc)
		goto out;
	rc = read_passes(&pass, r, &before, e);
	if (rc && r->info->truncated_at == UINT64_MAX) {
		result->funnel = before; /* of entries that no step has classified */
		goto out;
	}
	rest = passes_finish(&pass, rc ? NULL : e);
	*counted = !rest;
	rc = rc ? rc : rest;
out:
	step_counter_free(pass.counter);
	branch_stacks_deinit(&pass.stacks);
	vector_deinit(&pass.events);
	map_deinit(&pass.times);
	return rc;
}
