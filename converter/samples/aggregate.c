/* SPDX-License-Identifier: MIT */
#include "converter/samples/aggregate.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "converter/samples/aggregate_private.h"
#include "formats/perfdata_reader.h"

/* Counting keeps up with reading in one thread; more wait, and cost what merging them takes. */
unsigned aggregate_threads(void)
{
	cpu_set_t cpus;
	int count = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : CPU_COUNT(&cpus);

	return count > 2 ? 2 : (unsigned)count;
}

int aggregate_init(struct aggregate *a, struct binary *binary,
		   const struct aggregate_options *options, struct softlbr_error *e)
{
	struct aggregate_result *r = &a->result;

	*a = (struct aggregate){.result = {.binary = binary,
					   .of_module = -1,
					   .match = MODULE_MATCH_START,
					   .all_softlbr = true}};
	if (options)
		a->options = *options;
	if (!a->options.stride)
		a->options.stride = AGGREGATE_STRIDE_BYTES;
	r->profile.path = memory_copy_string(binary ? binary_path(binary) : "");
	if (binary)
		r->profile.build_id = *binary_build_id(binary);
	if (!r->profile.path || modules_init(&r->modules)) {
		aggregate_deinit(a);
		return error_set_nomem(e);
	}
	return 0;
}

static void forget_joint(struct aggregate_result *r)
{
	struct joint_traces *joint;

	vector_each (&r->joint, joint)
		joint_traces_deinit(joint);
	vector_deinit(&r->joint);
}

void aggregate_forget_kept(struct aggregate *counted)
{
	struct aggregate_recording *kept;

	vector_each (&counted->kept, kept)
		address_history_deinit(&kept->history);
	vector_deinit(&counted->kept);
}

void aggregate_deinit(struct aggregate *a)
{
	struct aggregate_exact *exact;

	forget_joint(&a->result);
	evidence_deinit(&a->result.evidence);
	aggregate_forget_kept(a);
	vector_each (&a->kept_exact, exact) {
		file_view_close(&exact->view);
		map_deinit(&exact->taken);
		memory_free(exact->name);
	}
	vector_deinit(&a->kept_exact);
	branch_profile_deinit(&a->result.profile);
	map_deinit(&a->result.first_runs);
	value_profile_deinit(&a->result.values);
	branch_details_deinit(&a->result.details);
	vector_deinit(&a->result.shares);
	map_deinit(&a->result.crossings);
	if (a->borrows)
		return;
	modules_deinit(&a->result.modules);
	vector_deinit(&a->result.events);
}

/* ---- recordings ---------------------------------------------------------------------------- */

/* Resolve the counts of a recording, or keep them for later. */
static int finish_recording(struct aggregate *a, struct aggregate_recording *recording,
			    struct softlbr_error *e)
{
	if (!a->options.keep)
		return resolve_recording(&a->result, &a->options, recording, true)
			       ? error_set_nomem(e)
			       : 0;
	if (vector_add(&a->kept, *recording))
		return error_set_nomem(e);
	recording->history = (struct address_history){0};
	return 0;
}

static int add_recording(struct aggregate *a, struct recording *r, uint64_t weight,
			 bool own_addresses, struct softlbr_error *e)
{
	struct aggregate_recording recording = {.weight = weight, .own_addresses = own_addresses};
	bool counted;
	int rc, rest = 0;

	a->result.recordings++;
	a->result.all_softlbr &= r->info->softlbr;
	if (r->info->cpu)
		snprintf(a->result.cpu, sizeof(a->result.cpu), "%s", r->info->cpu);
	rc = recording_passes_read(r, &a->options, &a->result, &recording.history, &counted, e);
	if (r->info->auxtrace)
		a->result.auxtrace = r->info->auxtrace;
	if (counted)
		rest = finish_recording(a, &recording, rc ? NULL : e);
	address_history_deinit(&recording.history);
	return rc ? rc : rest;
}

static int of_no_module(const char *name, struct softlbr_error *e)
{
	return error_set(e, SOFTLBR_E_INPUT, name,
			 "%s does not say which binary it was made of: give it with --binary",
			 name);
}

/* Takes over @view. */
static int add_perfdata(struct aggregate *a, struct file_view *view, const char *name,
			uint64_t weight, struct softlbr_error *e)
{
	struct recording r = {.name = name, .bytes = view->size};
	int rc;

	r.perf = perfdata_open_take(view, name, e);
	if (!r.perf)
		return -e->code;
	r.info = perfdata_info(r.perf);
	rc = add_recording(a, &r, weight, false, e);
	perfdata_close(r.perf);
	return rc;
}

static int add_script(struct aggregate *a, const uint8_t *data, size_t size, const char *name,
		      uint64_t weight, struct softlbr_error *e)
{
	struct recording r = {.script = perfscript_open(data, size, name, e), .name = name};
	bool own_addresses;
	int rc;

	if (!r.script)
		return -e->code;
	r.info = perfscript_info(r.script);
	own_addresses = !perfscript_stats(r.script)->has_maps;
	a->result.scripts++;
	a->result.scripts_without_maps += own_addresses;
	a->result.damage.lines = perfscript_stats(r.script)->lines_damaged;
	a->result.damage.first = perfscript_stats(r.script)->first_damaged;
	if (own_addresses)
		module_match_add(&a->result.match, MATCH_UNNAMED);
	rc = own_addresses && !a->result.binary ? of_no_module(name, e)
						: add_recording(a, &r, weight, own_addresses, e);
	a->result.damage.samples_unnamed = perfscript_stats(r.script)->samples_unnamed;
	perfscript_close(r.script);
	return rc;
}

/* ---- texts of branches --------------------------------------------------------------------- */

static int add_weighed(struct aggregate_result *r, const struct branch_profile *p, uint64_t weight)
{
	struct funnel *f = &r->funnel;
	const struct map_entry *i;

	for (i = NULL; (i = map_next(&p->branches, (struct map_entry *)i));) {
		bool leaves = i->b == BRANCH_OUTSIDE, enters = i->a == BRANCH_OUTSIDE;

		f->entries += i->n;
		*(leaves   ? &f->branches_leaving
		  : enters ? &f->branches_entering
			   : &f->branches_inside) += i->n;
		if (branch_profile_add_branch(&r->profile, i->a, i->b,
					      resolve_weighed(i->n, weight),
					      resolve_weighed(i->m, weight)))
			return -1;
	}
	for (i = NULL; (i = map_next(&p->ranges, (struct map_entry *)i));) {
		f->ranges += i->n;
		f->ranges_kept += i->n;
		if (branch_profile_add_range(&r->profile, i->a, i->b,
					     resolve_weighed(i->n, weight)))
			return -1;
	}
	for (i = NULL; (i = map_next(&p->samples, (struct map_entry *)i));) {
		f->samples += i->n;
		f->samples_in_binary += i->n;
		if (branch_profile_add_sample(&r->profile, i->a, resolve_weighed(i->n, weight)))
			return -1;
	}
	return 0;
}

/* Takes over @view. */
static int keep_exact(struct aggregate *a, struct file_view *view, const char *name,
		      uint64_t weight, struct softlbr_error *e)
{
	struct aggregate_exact *kept = vector_push(&a->kept_exact);

	if (!kept)
		return error_set_nomem(e);
	*kept = (struct aggregate_exact){*view, memory_copy_string(name), weight, {0}};
	*view = (struct file_view){0};
	a->result.recordings++;
	a->result.all_softlbr = false;
	return kept->name ? callgrind_modules_read(kept->view.data, kept->view.size, name,
						   &a->result.modules, &kept->taken, e)
			  : error_set_nomem(e);
}

/* Without a binary they tell the modules. */
static int share_exact(struct aggregate_result *r, const struct aggregate_exact *kept,
		       struct softlbr_error *e)
{
	const struct map_entry *i = NULL;

	while (r->shares.count < r->modules.items.count)
		if (!vector_push(&r->shares))
			return error_set_nomem(e);
	while ((i = map_next(&kept->taken, (struct map_entry *)i))) {
		r->shares.items[i->a].branches += i->n;
		r->funnel.entries += i->n;
		r->funnel.branches_elsewhere += i->n;
	}
	return 0;
}

/* The files that a text names are modules, as those of a recording are. */
static int share_files(struct aggregate_result *r, const struct text_input *t)
{
	const struct build_tag *file;

	vector_each (&t->files.files, file) {
		size_t number = (size_t)(file - t->files.files.items);
		const struct map_entry *others = map_find(&t->others, number, 0);
		char id[41], path[64];
		int64_t module;

		branch_profile_build_id_text(&file->id, id);
		snprintf(path, sizeof(path), "build-id %s", id);
		module = modules_add(&r->modules, file->path ? file->path : path, &file->id);
		while (r->shares.count < r->modules.items.count)
			if (!vector_push(&r->shares))
				return -1;
		if (module < 0)
			return -1;
		if (number == t->own)
			r->shares.items[module].is_binary = true;
		if (t->match == MATCH_OTHER_BUILD
			    ? number == t->own
			    : t->match == MATCH_NONE && module_fits(MATCH_OTHER_BUILD, r->binary,
								    &r->modules, (size_t)module))
			r->match.other_build = module;
		r->shares.items[module].branches += others ? others->n : 0;
		r->funnel.entries += others ? others->n : 0;
		r->funnel.branches_elsewhere += others ? others->n : 0;
	}
	return 0;
}

static int add_text(struct aggregate *a, enum profile_kind kind, const struct file_view *view,
		    const char *name, uint64_t weight, struct softlbr_error *e)
{
	struct aggregate_result *r = &a->result;
	struct text_input t = {.match = MATCH_UNNAMED};
	int rc = r->binary ? text_input_read(r->binary, kind, view->data, view->size, name,
					     a->options.any_build, &t, e)
			   : of_no_module(name, e);

	r->recordings++;
	r->all_softlbr = false;
	module_match_add(&r->match, t.match);
	if (!rc && (share_files(r, &t) || add_weighed(r, &t.profile, weight)))
		rc = error_set_nomem(e);
	text_input_deinit(&t);
	return rc;
}

/* ---- all ----------------------------------------------------------------------------------- */

/* Takes over @view. */
static int add_view(struct aggregate *a, struct file_view *view, const char *name, uint64_t weight,
		    struct softlbr_error *e)
{
	enum profile_kind kind = a->options.kind;
	struct softlbr_error own = {0};
	int rc;

	if (!e)
		e = &own;
	a->result.damage = (struct aggregate_damage){0};
	if (kind == PROFILE_UNKNOWN)
		kind = profile_kind_of(view->data, view->size);
	if (kind == PROFILE_CALLGRIND && a->options.keep)
		rc = keep_exact(a, view, name, weight, e);
	else if (profile_kind_is_counts(kind))
		rc = add_text(a, kind, view, name, weight, e);
	else if (kind == PROFILE_PERFSCRIPT)
		rc = add_script(a, view->data, view->size, name, weight, e);
	else if (kind == PROFILE_FDATA || kind == PROFILE_GCDA || profile_kind_is_source(kind))
		rc = error_set(e, SOFTLBR_E_INPUT, name,
			       "%s is %s, a finished profile: give the recording that it was made "
			       "of; profiles are for `softlbr merge`, `diff` and `show`",
			       name, profile_kind_name(kind));
	else if (kind == PROFILE_UNKNOWN && profile_kind_is_known_unread(view->data, view->size))
		rc = profile_kind_refuse(view->data, view->size, name, e);
	else
		return add_perfdata(a, view, name, weight, e);
	file_view_close(view);
	return rc;
}

int aggregate_add(struct aggregate *a, const char *path, uint64_t weight, struct softlbr_error *e)
{
	struct file_view view;
	int rc = perfdata_view_open(&view, path, e);

	return rc ? rc : add_view(a, &view, strcmp(path, "-") ? path : "standard input", weight, e);
}

int aggregate_add_view(struct aggregate *a, const struct file_view *view, const char *name,
		       uint64_t weight, struct softlbr_error *e)
{
	struct file_view borrowed = *view;

	borrowed.borrowed = true;
	return add_view(a, &borrowed, name, weight, e);
}

int aggregate_add_bytes(struct aggregate *a, const uint8_t *data, size_t size, const char *name,
			uint64_t weight, struct softlbr_error *e)
{
	struct file_view view = {.data = data, .size = size, .borrowed = true};

	return add_view(a, &view, name, weight, e);
}

int aggregate_estimate(struct aggregate *a, struct softlbr_error *e)
{
	struct joint_traces *joint;
	int rc = 0;

	vector_each (&a->result.joint, joint)
		if (!rc && joint_traces_estimate(joint, &a->result, a->options.frequencies))
			rc = error_set_nomem(e);
	forget_joint(&a->result);
	return rc;
}

static int resolve_kept(struct aggregate *a, struct aggregate *counted, struct binary *binary,
			int64_t module, struct softlbr_error *e)
{
	struct aggregate_result *to = &a->result, *from = &counted->result;
	struct aggregate_recording *kept;
	struct aggregate_exact *exact;
	int rc = aggregate_init(a, binary, &counted->options, e);

	if (rc)
		return rc;
	modules_deinit(&to->modules);
	to->modules = from->modules;
	a->borrows = true;
	to->funnel = from->funnel;
	to->recordings = from->recordings;
	to->all_softlbr = from->all_softlbr;
	to->scripts = from->scripts;
	to->scripts_without_maps = from->scripts_without_maps;
	to->auxtrace = from->auxtrace;
	memcpy(to->cpu, from->cpu, sizeof(to->cpu));
	memcpy(&to->events, &from->events, sizeof(to->events));
	to->of_module = module;
	vector_each (&counted->kept, kept)
		if (resolve_recording(to, &a->options, kept, false))
			return error_set_nomem(e);
	rc = aggregate_estimate(a, e);
	to->recordings -= binary ? counted->kept_exact.count : 0; /* they are counted again */
	vector_each (&counted->kept_exact, exact) {
		if (!rc)
			rc = binary ? add_text(a, PROFILE_CALLGRIND, &exact->view, exact->name,
					       exact->weight, e)
				    : share_exact(to, exact, e);
	}
	return rc;
}

int aggregate_resolve(struct aggregate *a, struct aggregate *counted, struct binary *binary,
		      struct softlbr_error *e)
{
	return resolve_kept(a, counted, binary, -1, e);
}

int aggregate_judge_copies(struct aggregate *counted, size_t module, struct binary *binary)
{
	struct aggregate_recording *kept;

	vector_each (&counted->kept, kept)
		if (address_history_judge_copies(&kept->history, &counted->result.modules, module,
						 binary))
			return -1;
	return 0;
}

int aggregate_resolve_module(struct aggregate *a, struct aggregate *counted, size_t module,
			     struct softlbr_error *e)
{
	return resolve_kept(a, counted, NULL, (int64_t)module, e);
}

/* ---- reports ------------------------------------------------------------------------------- */

uint64_t aggregate_module_share(const struct aggregate_result *r, size_t module)
{
	const struct aggregate_share *s = &r->shares.items[module];

	return r->funnel.entries ? s->branches : s->samples;
}

uint64_t aggregate_whole(const struct aggregate_result *r)
{
	return r->funnel.entries ? funnel_branches(&r->funnel) : r->funnel.samples;
}

size_t aggregate_top_modules(const struct aggregate_result *r, size_t *numbers, size_t max)
{
	size_t count = 0;

	for (size_t i = 0; i < r->shares.count; i++) {
		size_t at = count < max ? count : max;

		if (!aggregate_module_share(r, i))
			continue;
		while (at &&
		       aggregate_module_share(r, numbers[at - 1]) < aggregate_module_share(r, i)) {
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
