/* SPDX-License-Identifier: MIT */
/*
 * A recording is read once if all that maps modules precedes the first sample, as it does when a
 * single program was recorded. Else it is read twice: first what maps modules, put in order of
 * time, then the samples. So the order of records in the file, which is by CPU buffers, does not
 * matter, and nothing has to be held back to sort it.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "converter/samples/resolve.h"
#include "converter/samples/branch_stacks.h"
#include "converter/samples/text_input.h"
#include "formats/perfdata.h"
#include "formats/perfdata_directory.h"
#include "formats/perfscript.h"

int aggregate_init(struct aggregate *a, struct binary *binary,
		   const struct aggregate_options *options, struct softlbr_error *e)
{
	*a = (struct aggregate){
		.binary = binary, .other_build = -1, .all_softlbr = true, .weight = 1};
	if (options)
		memcpy(&a->options, options,
		       options->size < sizeof(*options) ? options->size : sizeof(*options));
	if (!a->options.stride)
		a->options.stride = AGGREGATE_STRIDE_BYTES;
	a->profile.path = memory_copy_string(binary ? binary_path(binary) : "");
	if (binary)
		a->profile.build_id = *binary_build_id(binary);
	if (!a->profile.path || modules_init(&a->modules)) {
		aggregate_deinit(a);
		return error_set_nomem(e);
	}
	return 0;
}

void aggregate_deinit(struct aggregate *a)
{
	struct aggregate_kept *kept;

	vector_each (&a->kept, kept)
		address_history_deinit(&kept->history);
	vector_deinit(&a->kept);
	branch_profile_deinit(&a->profile);
	vector_deinit(&a->shares);
	map_deinit(&a->crossings);
	if (a->borrows)
		return;
	modules_deinit(&a->modules);
	vector_deinit(&a->events);
}

/* ---- one recording ------------------------------------------------------------------------- */

/* A perf.data, or what perf script printed of one. */
struct recording {
	struct perfdata_reader *perf;
	struct perfscript *script;
	const struct perfdata_info *info;
	const char *name;
	uint64_t bytes; /* 0 = unknown */
};

struct pass {
	struct aggregate *a;
	struct address_history history;
	struct branch_stacks stacks;
	struct step_counter *counter;
	uint64_t all_bytes; /* of the recording; 0 = unknown */
	unsigned unreported;
	bool built; /* the history is complete: samples are counted */
	const struct perfdata_info *info;
	bool is_text;			       /* of perf script */
	VECTOR(struct aggregate_event) events; /* by the recording's event number */
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
	return address_history_add(&pass->history, &copy) ? error_set_nomem(e) : 0;
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
	const struct aggregate_options *o = &pass->a->options;

	if (!o->progress || pass->unreported++ < PROGRESS_EVERY)
		return;
	pass->unreported = 0;
	o->progress(o->progress_context, record->offset, pass->all_bytes);
}

static int take_sample(void *context, const struct perfdata_info *info,
		       const struct perfdata_record *record, struct softlbr_error *e)
{
	struct pass *pass = context;
	struct aggregate_event *event;
	struct address_space *s;

	if (record->type != PERF_RECORD_SAMPLE) {
		pass->a->funnel.samples_lost += record->lost;
		return 0;
	}
	if (!in_part(&pass->a->options, info, record))
		return 0;
	report_progress(pass, record);
	event = &pass->events.items[record->sample.event];
	event->samples += 1 + record->sample.repeats;
	if (!event->counted) {
		pass->a->funnel.samples_of_other_events += 1 + record->sample.repeats;
		return 0;
	}
	if (record->sample.time_enabled &&
	    sample_times_add(&pass->history.times, &info->events[record->sample.event].attr,
			     &record->sample))
		return error_set_nomem(e);
	s = address_history_at(&pass->history, record->sample.pid,
			       info->has_time ? record->time : 0, record->offset);
	if (!s || branch_stacks_add(&pass->stacks, s, info, record))
		return error_set_nomem(e);
	return 0;
}

/* All has been counted: resolve it, or keep it for later. */
static int finish_recording(struct pass *pass, struct softlbr_error *e)
{
	struct aggregate *a = pass->a;
	struct aggregate_kept *kept;

	if (step_counter_finish(pass->counter))
		return error_set_nomem(e);
	if (!a->options.keep)
		return resolve_history(a, &pass->history, true) ? error_set_nomem(e) : 0;
	kept = vector_push(&a->kept);
	if (!kept)
		return error_set_nomem(e);
	*kept = (struct aggregate_kept){pass->history, a->weight};
	pass->history = (struct address_history){0};
	return 0;
}

static int build_history(struct pass *pass, struct softlbr_error *e)
{
	pass->built = true;
	return address_history_build(&pass->history) ? error_set_nomem(e) : 0;
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
	return !rc && pass->built && pass->history.changes.count ? PASS_AGAIN : rc;
}

/* "cycles" and "cycles:u" are both asked for as "cycles", the latter by its whole name too. */
static bool is_event(const char *name, const char *asked)
{
	size_t length = strlen(asked);

	return !asked[0] || (!strncmp(name, asked, length) &&
			     (!name[length] || name[length] == ':' || name[length] == '/'));
}

static int no_such_event(const struct pass *pass, const char *name, struct softlbr_error *e)
{
	const struct aggregate_event *event;
	char names[400] = "";
	size_t used = 0;

	vector_each (&pass->events, event)
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? ", " : "", event->name);
	return error_set(e, SOFTLBR_E_INPUT, name, "%s has no event %s; its events are %s", name,
			 pass->a->options.event, names);
}

static int choose_events(struct pass *pass, const char *name, struct softlbr_error *e)
{
	const char *asked = pass->a->options.event ? pass->a->options.event : "";
	const struct perfdata_info *info = pass->info;
	bool any = false;

	pass->events.count = 0;
	for (size_t i = 0; i < info->event_count; i++) {
		struct aggregate_event *event = vector_push(&pass->events);

		if (!event)
			return error_set_nomem(e);
		memcpy(event->name, info->events[i].name, sizeof(event->name));
		event->counted = is_event(event->name, asked);
		any |= event->counted;
	}
	return any ? 0 : no_such_event(pass, name, e);
}

/* Add the recording's events to those of all. */
static int keep_events(struct pass *pass, struct softlbr_error *e)
{
	const struct aggregate_event *event;
	struct aggregate_event *all;

	vector_each (&pass->events, event) {
		vector_each (&pass->a->events, all)
			if (!strcmp(all->name, event->name))
				break;
		if (!all || all == pass->a->events.items + pass->a->events.count) {
			all = vector_push(&pass->a->events);
			if (!all)
				return error_set_nomem(e);
			*all = *event;
		} else {
			all->samples += event->samples;
		}
	}
	return 0;
}

/*
 * Are the traces themselves of interest? Of hardware stacks only if asked for: they end at the
 * sample, where ours begin. With branches missing there are no traces.
 */
static bool keeps_traces(const struct pass *pass)
{
	const struct aggregate_options *o = &pass->a->options;
	const struct perfdata_info *info = pass->info;

	for (size_t i = 0; i < info->event_count; i++)
		if (branch_stacks_are_filtered(&info->events[i].attr))
			return false;
	return (pass->a->binary || o->keep) && o->frequencies != FREQUENCIES_RAW &&
	       (o->frequencies != FREQUENCIES_AUTO || info->softlbr || pass->is_text);
}

static int start_pass(struct pass *pass, const char *name, struct softlbr_error *e)
{
	pass->built = false;
	step_counter_free(pass->counter);
	pass->counter = step_counter_new(pass->a->options.threads);
	branch_stacks_init(&pass->stacks, &pass->a->funnel, pass->counter, pass->a->options.stride,
			   keeps_traces(pass) ? &pass->history.traces : NULL);
	if (!pass->counter || address_history_init(&pass->history, &pass->a->modules))
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

/* What maps modules in one pass, the samples in another. */
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

static int read_passes(struct pass *pass, struct recording *r, struct softlbr_error *e)
{
	const struct funnel before = pass->a->funnel;
	int rc = recording_each(r, PERFDATA_ALL, take_any, pass, e), again;

	if (rc == PASS_AGAIN) {
		pass->a->funnel = before;
		step_counter_free(pass->counter); /* before the spaces go */
		pass->counter = NULL;
		address_history_deinit(&pass->history);
		rc = start_pass(pass, r->name, e);
		if (!rc)
			rc = read_twice(pass, r, e);
	}
	if (rc && r->info->truncated_at == UINT64_MAX) {
		pass->a->funnel = before; /* of entries that no step has classified */
		return rc;
	}
	if (!pass->built && build_history(pass, e))
		return rc ? rc : -SOFTLBR_E_SYSTEM;
	again = finish_recording(pass, rc ? NULL : e);
	if (!again)
		again = keep_events(pass, rc ? NULL : e);
	return rc ? rc : again;
}

static int add_recording(struct aggregate *a, struct recording *r, struct softlbr_error *e)
{
	struct pass pass = {.a = a, .info = r->info, .is_text = r->script, .all_bytes = r->bytes};
	int rc;

	a->recordings++;
	a->all_softlbr &= r->info->softlbr;
	if (r->info->cpu)
		snprintf(a->cpu, sizeof(a->cpu), "%s", r->info->cpu);
	rc = start_pass(&pass, r->name, e);
	if (!rc)
		rc = read_passes(&pass, r, e);
	step_counter_free(pass.counter);
	address_history_deinit(&pass.history);
	vector_deinit(&pass.events);
	return rc;
}

static void match_at_best(struct aggregate *a, enum aggregate_match match)
{
	if (a->match < match)
		a->match = match;
}

static int of_no_module(const char *name, struct softlbr_error *e)
{
	return error_set(e, SOFTLBR_E_INPUT, name,
			 "%s does not say which binary it was made of: give it with --binary",
			 name);
}

/* Takes over @view. */
static int add_perfdata(struct aggregate *a, struct file_view *view, const char *name,
			struct softlbr_error *e)
{
	struct recording r = {.name = name, .bytes = view->size};
	int rc;

	r.perf = perfdata_open_take(view, name, e);
	if (!r.perf)
		return -e->code;
	r.info = perfdata_info(r.perf);
	rc = add_recording(a, &r, e);
	perfdata_close(r.perf);
	return rc;
}

static int add_script(struct aggregate *a, const uint8_t *data, size_t size, const char *name,
		      struct softlbr_error *e)
{
	struct recording r = {.script = perfscript_open(data, size, name, e), .name = name};
	int rc;

	if (!r.script)
		return -e->code;
	r.info = perfscript_info(r.script);
	a->own_addresses = !perfscript_stats(r.script)->has_maps;
	if (a->own_addresses)
		match_at_best(a, AGGREGATE_MATCH_UNNAMED);
	rc = a->own_addresses && !a->binary ? of_no_module(name, e) : add_recording(a, &r, e);
	a->own_addresses = false;
	perfscript_close(r.script);
	return rc;
}

static int add_weighed(struct aggregate *a, const struct branch_profile *p)
{
	struct funnel *f = &a->funnel;
	const struct map_entry *i;

	for (i = NULL; (i = map_next(&p->branches, (struct map_entry *)i));) {
		bool leaves = i->b == BRANCH_OUTSIDE, enters = i->a == BRANCH_OUTSIDE;

		f->entries += i->n;
		*(leaves   ? &f->branches_leaving
		  : enters ? &f->branches_entering
			   : &f->branches_inside) += i->n;
		if (branch_profile_add_branch(&a->profile, i->a, i->b, resolve_weighed(a, i->n),
					      resolve_weighed(a, i->m)))
			return -1;
	}
	for (i = NULL; (i = map_next(&p->ranges, (struct map_entry *)i));) {
		f->ranges += i->n;
		f->ranges_kept += i->n;
		if (branch_profile_add_range(&a->profile, i->a, i->b, resolve_weighed(a, i->n)))
			return -1;
	}
	for (i = NULL; (i = map_next(&p->samples, (struct map_entry *)i));) {
		f->samples += i->n;
		f->samples_in_binary += i->n;
		if (branch_profile_add_sample(&a->profile, i->a, resolve_weighed(a, i->n)))
			return -1;
	}
	return 0;
}

static int add_text(struct aggregate *a, enum profile_kind kind, const uint8_t *data, size_t size,
		    const char *name, struct softlbr_error *e)
{
	struct branch_profile p = {0};
	int rc = a->binary ? text_input_read(a->binary, kind, data, size, name, &p, e)
			   : of_no_module(name, e);

	a->recordings++;
	a->all_softlbr = false;
	match_at_best(a, kind == PROFILE_CALLGRIND ? AGGREGATE_MATCH_BASE_NAME
						   : AGGREGATE_MATCH_UNNAMED);
	if (!rc && add_weighed(a, &p))
		rc = error_set_nomem(e);
	branch_profile_deinit(&p);
	return rc;
}

/* Takes over @view. */
static int add_view(struct aggregate *a, struct file_view *view, const char *name,
		    struct softlbr_error *e)
{
	enum profile_kind kind = a->options.kind;
	struct softlbr_error own = {0};
	int rc;

	if (!e)
		e = &own;
	if (kind == PROFILE_UNKNOWN)
		kind = profile_kind_of(view->data, view->size);
	if (text_input_is(kind))
		rc = add_text(a, kind, view->data, view->size, name, e);
	else if (kind == PROFILE_PERFSCRIPT)
		rc = add_script(a, view->data, view->size, name, e);
	else if (kind == PROFILE_FDATA || profile_kind_is_source(kind))
		rc = error_set(e, SOFTLBR_E_INPUT, name,
			       "%s is %s, a finished profile: give the recording that it was made "
			       "of; profiles are for `softlbr merge`, `diff` and `show`",
			       name, profile_kind_name(kind));
	else
		return add_perfdata(a, view, name, e);
	file_view_close(view);
	return rc;
}

int aggregate_add(struct aggregate *a, const char *path, struct softlbr_error *e)
{
	struct file_view view;
	int rc = perfdata_view_open(&view, path, e);

	return rc ? rc : add_view(a, &view, strcmp(path, "-") ? path : "standard input", e);
}

int aggregate_add_bytes(struct aggregate *a, const uint8_t *data, size_t size, const char *name,
			struct softlbr_error *e)
{
	struct file_view view = {.data = data, .size = size, .borrowed = true};

	return add_view(a, &view, name, e);
}

/* ---- reports ------------------------------------------------------------------------------- */

uint64_t aggregate_module_share(const struct aggregate *a, size_t module)
{
	const struct aggregate_share *s = &a->shares.items[module];

	return a->funnel.entries ? s->branches : s->samples;
}

uint64_t aggregate_whole(const struct aggregate *a)
{
	return a->funnel.entries ? a->funnel.entries : a->funnel.samples;
}

size_t aggregate_top_modules(const struct aggregate *a, size_t *numbers, size_t max)
{
	size_t count = 0;

	for (size_t i = 0; i < a->shares.count; i++) {
		size_t at = count < max ? count : max;

		if (!aggregate_module_share(a, i))
			continue;
		while (at &&
		       aggregate_module_share(a, numbers[at - 1]) < aggregate_module_share(a, i)) {
			if (at < max)
				numbers[at] = numbers[at - 1];
			at--;
		}
		if (at < max)
			numbers[at] = i;
		if (count < max)
			count++;
	}
	return count;
}
