/* SPDX-License-Identifier: MIT */
/*
 * Recordings: who made them, their events, and all their modules: functions, lines, branches and
 * ranges of those whose files are found, the addresses of those whose are not, with the reason;
 * JIT-compiled code; callgrind's objects.
 */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "converter/pipeline/conversion.h"
#include "converter/pipeline/recorded_program.h"
#include "formats/callgrind.h"
#include "formats/model/source_profile.h"
#include "formats/perf_map.h"
#include "formats/perfdata.h"
#include "formats/perfscript.h"
#include "report/recorded_modules.h"
#include "report/show_private.h"

/* ---- modules ------------------------------------------------------------------------------- */

struct shown_modules {
	struct show *s;
	struct recorded_modules recorded;
	VECTOR(struct show_part) parts; /* the same, as tables take them */
};

static int read_modules(struct shown_modules *m, struct conversion *counted,
			struct softlbr_error *e)
{
	const struct module_search search = {m->s->options->search, m->s->options->path};
	const struct recorded_module *module;
	int rc = recorded_modules_read(&m->recorded, counted, &search, e);

	if (rc)
		return rc;
	vector_each (&m->recorded.items, module) {
		struct show_part *part = vector_push(&m->parts);

		if (!part)
			return error_set_nomem(e);
		*part = (struct show_part){.binary = module->binary,
					   .module = module->path,
					   .profile = module->profile};
		if (!module->binary)
			continue;
		part->values = &module->conversion.aggregate.result.values;
		if (function_counts_make(&part->functions, part->binary, part->profile))
			return error_set_nomem(e);
	}
	return 0;
}

static void free_modules(struct shown_modules *m)
{
	struct show_part *part;

	vector_each (&m->parts, part)
		function_counts_deinit(&part->functions);
	vector_deinit(&m->parts);
	recorded_modules_deinit(&m->recorded);
}

/* ---- what was found ------------------------------------------------------------------------ */

static void state_program(const struct shown_modules *m)
{
	const struct recorded_program_options how = {
		.search = {m->s->options->search, m->s->options->path}};
	struct softlbr_error none = {0};
	struct recorded_program program;

	if (!recorded_program_choose(&program, &m->recorded.shares, &how, &none))
		document_fact_text(m->s->out, "program", "program", program.path);
	recorded_program_deinit(&program);
}

static void put_modules(const struct shown_modules *m)
{
	const struct aggregate_result *r = &m->recorded.shares.aggregate.result;
	const struct recorded_module *i;
	struct document *t = m->s->out;
	char id[41];

	if (r->funnel.entries)
		document_table(t, "modules", "Modules by branches taken from them",
			       "branches, share, build_id: build-id, path: module");
	else
		document_table(t, "modules", "Modules by samples",
			       "samples, share, build_id: build-id, path: module");
	vector_each (&m->recorded.items, i) {
		branch_profile_build_id_text(&r->modules.items.items[i->number].build_id, id);
		document_put_number(t, aggregate_module_share(r, i->number));
		document_put_share(t, aggregate_module_share(r, i->number), aggregate_whole(r));
		document_put_text(t, id);
		document_put_text(t, i->path);
	}
	document_rank(t, 0, m->s->options->top);
}

/* ---- lines --------------------------------------------------------------------------------- */

/* A module without debug information has no lines; if none has any, that is an error. */
static int add_source(struct recorded_module *module, struct source_profile *sum, size_t *modules,
		      struct softlbr_error *first, struct softlbr_error *e)
{
	struct conversion_counts *counts = &module->conversion.recorded;
	struct softlbr_error own = {0};

	if (!conversion_attribute(module->binary, counts, &own)) {
		*modules += 1;
		return source_profile_add(sum, &counts->source, 1) ? error_set_nomem(e) : 0;
	}
	if (own.code == SOFTLBR_E_INPUT) {
		*first = first->code ? *first : own;
		return 0;
	}
	*e = own;
	return -own.code;
}

static int make_source(struct shown_modules *m, struct source_profile *sum, struct softlbr_error *e)
{
	struct softlbr_error first = {0};
	struct recorded_module *i;
	size_t modules = 0;
	int rc = 0;

	vector_each (&m->recorded.items, i)
		if (!rc && i->binary)
			rc = add_source(i, sum, &modules, &first, e);
	if (!rc && !modules && first.code) {
		*e = first;
		rc = -first.code;
	}
	if (!rc && source_profile_sort(sum))
		rc = error_set_nomem(e);
	vector_each (&m->recorded.items, i)
		if (!rc && i->binary)
			rc = declarations_read(&m->s->declarations, i->binary, sum, e);
	return rc;
}

static int put_lines(struct shown_modules *m, struct softlbr_error *e)
{
	struct show_options lines = *m->s->options;
	struct show of_lines;
	struct source_profile sum;
	int rc;

	lines.sections &= 1 << SHOW_LINES | 1 << SHOW_CALLS;
	if (!lines.sections && !lines.function && !lines.source_directory)
		return 0;
	if (source_profile_init(&sum))
		return error_set_nomem(e);
	rc = make_source(m, &sum, e);
	of_lines = *m->s;
	of_lines.options = &lines;
	if (!rc)
		rc = show_source_profile(&of_lines, &sum, 0, e);
	source_profile_deinit(&sum);
	return rc;
}

/* ---- all ----------------------------------------------------------------------------------- */

static int put_all(struct shown_modules *m, struct softlbr_error *e)
{
	/* addresses are all there is to show where no file is found */
	unsigned usual = 1 << SHOW_MODULES |
			 1 << (m->recorded.resolved ? SHOW_FUNCTIONS : SHOW_BRANCHES);
	const struct show_part *parts = m->parts.items;
	size_t count = m->parts.count;
	int rc;

	/* callgrind's were shown, by instructions */
	if (show_wants(m->s, SHOW_MODULES, usual) && m->s->kind != PROFILE_CALLGRIND)
		put_modules(m);
	recorded_modules_put_unresolved(&m->recorded, m->s->out, m->s->options->top);
	if (show_wants(m->s, SHOW_FUNCTIONS, usual))
		show_put_functions(m->s, parts, count);
	rc = put_lines(m, e);
	if (show_wants(m->s, SHOW_BRANCHES, usual))
		show_put_branches(m->s, parts, count);
	if (show_wants(m->s, SHOW_RANGES, usual))
		show_put_ranges(m->s, parts, count);
	if (!rc)
		rc = show_put_values(m->s, parts, count, e);
	return rc ?: show_check_values(m->s, parts, count, e);
}

/* All modules of what was counted, each with its file if that is found, else by addresses; a
 * profile of no module is SOFTLBR_E_EMPTY. */
static int show_modules(struct show *s, struct conversion *counted, struct softlbr_error *e)
{
	struct shown_modules m = {.s = s};
	int rc = read_modules(&m, counted, e);

	if (!rc) {
		state_program(&m);
		rc = put_all(&m, e);
	}
	/* what is missing is told, another build may be taken for the recorded one */
	if (!rc && m.recorded.largest && m.recorded.largest->file.other)
		rc = recorded_modules_check(&m.recorded, e);
	free_modules(&m);
	return rc;
}

/* Code of just-in-time compilers in a recording, by the names in their /tmp/perf-PID.map. */

struct jit_process {
	struct perf_map map;
	struct map counts; /* (name, 0) -> n = branches */
	uint32_t pid;
	bool has_map;
};

struct jit {
	struct show *s;
	struct map numbers; /* (pid, 0) -> n = index + 1 */
	VECTOR(struct jit_process) processes;
	uint64_t branches; /* all */
	char refused[256]; /* why a map was not read; "" */
};

/* Reading a recording once more is worth it only if there is some map. */
static bool any_map(const struct show *s)
{
	const struct debug_search *search = s->options->search;
	char pattern[4096];
	glob_t found;
	bool any;

	snprintf(pattern, sizeof(pattern), "%s/tmp/perf-*.map",
		 search && search->symfs ? search->symfs : "");
	any = !glob(pattern, GLOB_NOSORT, NULL, &found);
	globfree(&found);
	return any;
}

/* A process without such a file has an entry too, so that it is looked for once. */
static struct jit_process *find_process(struct jit *j, uint32_t pid, struct softlbr_error *e)
{
	const struct debug_search *search = j->s->options->search;
	struct map_entry *number = map_at(&j->numbers, pid, 0);
	struct jit_process *p;
	struct softlbr_error own = {0};
	struct file_view v;
	char path[4096];
	int rc;

	if (!number)
		return NULL;
	if (number->n)
		return &j->processes.items[number->n - 1];
	p = vector_push(&j->processes);
	if (!p)
		return NULL;
	number->n = j->processes.count;
	p->pid = pid;
	snprintf(path, sizeof(path), "%s/tmp/perf-%" PRIu32 ".map",
		 search && search->symfs ? search->symfs : "", pid);
	rc = file_view_open_found(&v, path, &own);
	if (rc && own.sys_errno == EPERM)
		snprintf(j->refused, sizeof(j->refused), "%.240s", own.text);
	if (rc)
		return p;
	rc = perf_map_read_bytes(&p->map, v.data, v.size, e);
	file_view_close(&v);
	p->has_map = !rc;
	return rc ? NULL : p;
}

static int count_sample(void *context, const struct perfdata_info *info,
			const struct perfdata_record *record, struct softlbr_error *e)
{
	const struct perfdata_sample *sample = &record->sample;
	const uint64_t times = 1 + sample->repeats;
	struct jit *j = context;
	struct jit_process *p;

	(void)info;
	if (record->type != PERF_RECORD_SAMPLE || !sample->has_branches)
		return 0;
	j->branches += times * sample->branch_count;
	p = find_process(j, sample->pid, e);
	if (!p)
		return error_set_nomem(e);
	for (size_t i = 0; p->has_map && i < sample->branch_count; i++) {
		const char *name = perf_map_find(&p->map, sample->branches[i].from);
		uint32_t number = name ? strings_add_text(p->map.strings, name) : STRINGS_NONE;

		if (name && map_add(&p->counts, number, 0, times, 0))
			return error_set_nomem(e);
	}
	return 0;
}

static int count_samples(struct jit *j, struct softlbr_error *e)
{
	const struct file_view *v = &j->s->view;
	const char *name = j->s->options->path;
	int rc;

	if (j->s->kind == PROFILE_PERFSCRIPT) {
		struct perfscript *script = perfscript_open(v->data, v->size, name, e);

		rc = script ? perfscript_each(script, count_sample, j, e) : -e->code;
		perfscript_close(script);
	} else {
		struct perfdata_reader *r = perfdata_open_view(v, name, e);

		rc = r ? perfdata_each(r, PERFDATA_ONLY_SAMPLES, count_sample, j, e) : -e->code;
		perfdata_close(r);
	}
	return rc;
}

static void put_code(struct jit *j)
{
	const struct jit_process *p;
	struct document *t = j->s->out;

	document_table(t, "jit", "JIT-compiled code by branches taken from it",
		       "branches, share, pid, function");
	vector_each (&j->processes, p) {
		const struct map_entry *i;

		map_each (&p->counts, i) {
			document_put_number(t, i->n);
			document_put_share(t, i->n, j->branches);
			document_put_number(t, p->pid);
			document_put_text(t, strings_text(p->map.strings, (uint32_t)i->a));
		}
	}
	document_rank(t, 0, j->s->options->top);
}

/* Add a table of such code, if there is any. */
static int show_jit(struct show *s, struct softlbr_error *e)
{
	struct jit j = {.s = s};
	struct jit_process *p;
	bool found = false;
	int rc = any_map(s) ? count_samples(&j, e) : 0;

	vector_each (&j.processes, p)
		found |= p->counts.count > 0;
	if (*j.refused)
		document_fact_text(s->out, "warning", "warning", j.refused);
	if (!rc && found)
		put_code(&j);
	vector_each (&j.processes, p) {
		map_deinit(&p->counts);
		perf_map_deinit(&p->map);
	}
	vector_deinit(&j.processes);
	map_deinit(&j.numbers);
	return rc;
}

/* ---- recordings ---------------------------------------------------------------------------- */

static void state_samples(struct show *s, const struct aggregate_result *r)
{
	const struct funnel *f = &r->funnel;

	document_fact_number(s->out, "samples", "samples", f->samples);
	document_fact_number(s->out, "samples_without_stack", "without a stack",
			     f->samples_without_stack);
	if (f->samples_of_call_stacks)
		document_fact_number(s->out, "samples_of_call_stacks", "with a call stack (LBR)",
				     f->samples_of_call_stacks);
	show_damage(s, &r->damage);
	document_fact_number(s->out, "samples_lost", "lost by the recorder", f->samples_lost);
	document_fact_number(s->out, "branches_taken", "branches", funnel_branches(f));
}

static int show_stacks(struct show *s, struct conversion *c, struct softlbr_error *e)
{
	const struct funnel *f = &c->aggregate.result.funnel;
	int rc;

	state_samples(s, &c->aggregate.result);
	recording_facts_put_events(s->out, &c->aggregate.result, s->options->top);
	rc = show_modules(s, c, e) ?: show_jit(s, e);
	recording_facts_put_copied(s->out, &c->aggregate.result);
	if (!rc && !f->samples)
		rc = no_branches_explain(&c->aggregate.result, s->options->path, e);
	return rc;
}

static int put_objects(struct show *s, const struct callgrind *c)
{
	const struct map_entry *i;
	struct map objects = {0};
	uint64_t sum = 0;
	bool failed = false;

	map_each (&c->instructions, i) {
		failed |= map_add(&objects, i->a, 0, i->n, 0) != 0;
		sum = source_count_add(sum, i->n);
	}
	document_fact_number(s->out, "instructions", "instructions", sum);
	if (show_wants(s, SHOW_MODULES, 1 << SHOW_MODULES)) {
		document_table(s->out, "modules", "Modules by instructions executed",
			       "instructions, share, path: module");
		map_each (&objects, i) {
			document_put_number(s->out, i->n);
			document_put_share(s->out, i->n, sum);
			document_put_text(s->out, strings_text(c->strings, (uint32_t)i->a));
		}
		document_rank(s->out, 0, s->options->top);
	}
	map_deinit(&objects);
	return failed ? -1 : 0;
}

static int show_exact(struct show *s, struct conversion *counted, struct softlbr_error *e)
{
	struct callgrind c = {0};
	int rc = callgrind_read_bytes(&c, s->view.data, s->view.size, s->options->path, e);

	if (!rc && put_objects(s, &c))
		rc = error_set_nomem(e);
	if (!rc && !c.instructions.count)
		rc = error_set(e, SOFTLBR_E_EMPTY, s->options->path, "%s holds no counts",
			       s->options->path);
	callgrind_deinit(&c);
	return rc ?: show_modules(s, counted, e);
}

/* As it was recorded: nothing is estimated. */
int show_recording(struct show *s, struct softlbr_error *e)
{
	const struct conversion_options how = {.read = {.kind = s->kind,
							.frequencies = FREQUENCIES_RAW,
							.progress = s->options->progress,
							.keep = true},
					       .ip_samples = true,
					       .values = show_wants_values(s),
					       .smooth = CONVERSION_SMOOTH_NONE};
	struct conversion c;
	int rc = conversion_init(&c, NULL, &how, e);

	if (rc)
		return rc;
	if (s->kind == PROFILE_PERFDATA)
		recording_facts_put_origin(s->out, &s->view, s->options->path);
	rc = conversion_add_view(&c, &s->view, s->options->path, 1, e);
	if (!rc)
		rc = s->kind == PROFILE_CALLGRIND ? show_exact(s, &c, e) : show_stacks(s, &c, e);
	conversion_deinit(&c);
	return rc;
}
