/* SPDX-License-Identifier: MIT */
/*
 * All modules of a recording: functions, lines, branches and ranges of those whose files are found,
 * the addresses of those whose are not, with the reason.
 */
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "converter/elf/module_search.h"
#include "converter/pipeline/recorded_program.h"
#include "formats/model/source_merge.h"
#include "report/show_private.h"

struct shown_module {
	size_t number;
	struct module_file file;
	char why[768]; /* there is no binary */
	bool shared;   /* the same build as one before, whose counts are of both */
	struct binary *binary;
	struct conversion conversion;
	struct aggregate offsets; /* without a binary */
};

struct shown_modules {
	struct show *s;
	struct conversion *counted;
	struct conversion shares; /* of no binary */
	VECTOR(struct shown_module) items;
	VECTOR(struct show_part) parts; /* the same, as tables take them */
	size_t resolved;
};

/* ---- reading ------------------------------------------------------------------------------- */

static void open_binary(struct shown_modules *m, struct shown_module *module, const char *path,
			const struct build_id *id)
{
	const struct module_search search = {m->s->options->search, m->s->options->path};
	struct softlbr_error e = {0};

	module_search_find(&search, path, id, &module->file);
	snprintf(module->why, sizeof(module->why), "%s", module->file.why);
	if (!module->file.path)
		return;
	module->binary = binary_open_with(module->file.path, m->s->options->search, &e);
	if (!module->binary)
		snprintf(module->why, sizeof(module->why), "%s", e.text);
}

/* Is there a file of the same build among the modules before? */
static bool is_shared(const struct shown_modules *m, const struct build_id *id)
{
	const struct modules *modules = &m->shares.aggregate.result.modules;
	const struct shown_module *other;

	vector_each (&m->items, other)
		if (other->binary &&
		    branch_profile_same_build(id, &modules->items.items[other->number].build_id))
			return true;
	return false;
}

static int resolve(struct shown_modules *m, struct shown_module *module, struct show_part *part,
		   struct softlbr_error *e)
{
	static const struct branch_profile nothing;
	struct conversion *c = &module->conversion;
	int rc;

	if (module->shared) {
		part->profile = &nothing;
		m->resolved++;
		return 0;
	}
	part->binary = module->binary;
	if (!module->binary) {
		part->profile = &module->offsets.result.profile;
		return aggregate_resolve_module(&module->offsets, &m->counted->aggregate,
						module->number, e);
	}
	part->profile = &c->recorded.branches;
	part->values = &c->aggregate.result.values;
	rc = conversion_init_resolved(c, m->counted, module->binary, e);
	if (!rc)
		rc = conversion_validate(c, e);
	if (!rc && show_functions_count(part))
		rc = error_set_nomem(e);
	m->resolved++;
	return rc;
}

static int add_module(struct shown_modules *m, size_t number, struct softlbr_error *e)
{
	const struct modules *modules = &m->shares.aggregate.result.modules;
	struct shown_module *module = vector_push(&m->items);
	struct show_part *part = vector_push(&m->parts);

	if (!module || !part)
		return error_set_nomem(e);
	module->number = number;
	module->shared = is_shared(m, &modules->items.items[number].build_id);
	part->module = modules_path(modules, number);
	if (!module->shared)
		open_binary(m, module, part->module, &modules->items.items[number].build_id);
	return 0;
}

static int read_modules(struct shown_modules *m, struct softlbr_error *e)
{
	const struct aggregate_result *r = &m->shares.aggregate.result;
	int rc = conversion_init_resolved(&m->shares, m->counted, NULL, e);

	for (size_t i = 0; !rc && i < r->shares.count; i++)
		if (aggregate_module_share(r, i))
			rc = add_module(m, i, e);
	/* what is pushed no longer moves */
	for (size_t i = 0; !rc && i < m->items.count; i++)
		rc = resolve(m, &m->items.items[i], &m->parts.items[i], e);
	return rc;
}

static void free_modules(struct shown_modules *m)
{
	struct shown_module *module;
	struct show_part *part;

	vector_each (&m->items, module) {
		conversion_deinit(&module->conversion);
		aggregate_deinit(&module->offsets);
		binary_close(module->binary);
		module_file_deinit(&module->file);
	}
	vector_each (&m->parts, part)
		map_deinit(&part->functions);
	vector_deinit(&m->items);
	vector_deinit(&m->parts);
	conversion_deinit(&m->shares);
}

/* ---- what was found ------------------------------------------------------------------------ */

static void state_program(const struct shown_modules *m)
{
	const struct recorded_program_options how = {
		.search = {m->s->options->search, m->s->options->path}};
	struct softlbr_error none = {0};
	struct recorded_program program;

	if (!recorded_program_choose(&program, &m->shares, &how, &none))
		sheet_fact_text(m->s->sheet, "program", "program", program.path);
	recorded_program_deinit(&program);
}

static void put_modules(const struct shown_modules *m)
{
	static const struct sheet_column columns[] = {{"branches", "branches"},
						      {"share", "share"},
						      {"build_id", "build-id"},
						      {"path", "module"}};
	static const struct sheet_column of_samples[] = {{"samples", "samples"},
							 {"share", "share"},
							 {"build_id", "build-id"},
							 {"path", "module"}};
	const struct aggregate_result *r = &m->shares.aggregate.result;
	const struct shown_module *i;
	struct sheet *t = m->s->sheet;
	char id[41];

	if (r->funnel.entries)
		sheet_table(t, "modules", "Modules by branches taken from them", COLUMNS(columns));
	else
		sheet_table(t, "modules", "Modules by samples", COLUMNS(of_samples));
	vector_each (&m->items, i) {
		branch_profile_build_id_text(&r->modules.items.items[i->number].build_id, id);
		sheet_put_number(t, aggregate_module_share(r, i->number));
		sheet_put_share(t, aggregate_module_share(r, i->number), aggregate_whole(r));
		sheet_put_text(t, id);
		sheet_put_text(t, modules_path(&r->modules, i->number));
	}
	sheet_rank(t, 0, m->s->options->top);
}

static void put_unresolved(const struct shown_modules *m)
{
	static const struct sheet_column columns[] = {
		{"share", "share"}, {"path", "module"}, {"reason", "reason"}};
	const struct aggregate_result *r = &m->shares.aggregate.result;
	const struct shown_module *i;
	struct sheet *t = m->s->sheet;

	if (m->resolved == m->items.count)
		return;
	sheet_table(t, "unresolved", "Modules that are not resolved to symbols", COLUMNS(columns));
	vector_each (&m->items, i) {
		if (i->binary || i->shared)
			continue;
		sheet_put_share(t, aggregate_module_share(r, i->number), aggregate_whole(r));
		sheet_put_text(t, modules_path(&r->modules, i->number));
		sheet_put_text(t, i->why);
	}
	sheet_rank(t, 0, m->s->options->top);
}

/* ---- lines --------------------------------------------------------------------------------- */

/* A module without debug information has no lines; if none has any, that is an error. */
static int add_source(struct shown_module *module, struct source_profile *sum, size_t *modules,
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
	struct shown_module *i;
	size_t modules = 0;
	int rc = 0;

	vector_each (&m->items, i)
		if (!rc && i->binary)
			rc = add_source(i, sum, &modules, &first, e);
	if (!rc && !modules && first.code) {
		*e = first;
		rc = -first.code;
	}
	if (!rc && source_profile_sort(sum))
		rc = error_set_nomem(e);
	vector_each (&m->items, i)
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
	unsigned usual = 1 << SHOW_MODULES | 1 << (m->resolved ? SHOW_FUNCTIONS : SHOW_BRANCHES);
	const struct show_part *parts = m->parts.items;
	size_t count = m->parts.count;
	int rc;

	/* callgrind's were shown, by instructions */
	if (show_wants(m->s, SHOW_MODULES, usual) && m->s->kind != PROFILE_CALLGRIND)
		put_modules(m);
	put_unresolved(m);
	if (show_wants(m->s, SHOW_FUNCTIONS, usual))
		show_put_functions(m->s, parts, count);
	rc = put_lines(m, e);
	if (show_wants(m->s, SHOW_BRANCHES, usual))
		show_put_branches(m->s, parts, count);
	if (show_wants(m->s, SHOW_RANGES, usual))
		show_put_ranges(m->s, parts, count);
	if (!rc)
		rc = show_put_values(m->s, parts, count, e);
	return rc ? rc : show_check_values(m->s, parts, count, e);
}

int show_modules(struct show *s, struct conversion *counted, struct softlbr_error *e)
{
	struct shown_modules m = {.s = s, .counted = counted};
	int rc = read_modules(&m, e);

	if (!rc) {
		state_program(&m);
		rc = put_all(&m, e);
	}
	free_modules(&m);
	return rc;
}
