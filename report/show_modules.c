/* SPDX-License-Identifier: MIT */
/*
 * All modules of a recording: functions, lines, branches and ranges of those whose files are found,
 * the addresses of those whose are not, with the reason.
 */
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "converter/pipeline/recorded_program.h"
#include "formats/model/source_profile.h"
#include "report/recorded_modules.h"
#include "report/show_private.h"

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
		if (show_functions_count(part))
			return error_set_nomem(e);
	}
	return 0;
}

static void free_modules(struct shown_modules *m)
{
	struct show_part *part;

	vector_each (&m->parts, part)
		map_deinit(&part->functions);
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
	const struct aggregate_result *r = &m->recorded.shares.aggregate.result;
	const struct recorded_module *i;
	struct sheet *t = m->s->sheet;
	char id[41];

	if (r->funnel.entries)
		sheet_table(t, "modules", "Modules by branches taken from them", COLUMNS(columns));
	else
		sheet_table(t, "modules", "Modules by samples", COLUMNS(of_samples));
	vector_each (&m->recorded.items, i) {
		branch_profile_build_id_text(&r->modules.items.items[i->number].build_id, id);
		sheet_put_number(t, aggregate_module_share(r, i->number));
		sheet_put_share(t, aggregate_module_share(r, i->number), aggregate_whole(r));
		sheet_put_text(t, id);
		sheet_put_text(t, i->path);
	}
	sheet_rank(t, 0, m->s->options->top);
}

static void put_unresolved(const struct shown_modules *m)
{
	static const struct sheet_column columns[] = {
		{"share", "share"}, {"path", "module"}, {"reason", "reason"}};
	const struct aggregate_result *r = &m->recorded.shares.aggregate.result;
	const struct recorded_module *i;
	struct sheet *t = m->s->sheet;

	if (m->recorded.resolved == m->recorded.items.count)
		return;
	sheet_table(t, "unresolved", "Modules that are not resolved to symbols", COLUMNS(columns));
	vector_each (&m->recorded.items, i) {
		if (i->binary || i->shared)
			continue;
		sheet_put_share(t, aggregate_module_share(r, i->number), aggregate_whole(r));
		sheet_put_text(t, i->path);
		sheet_put_text(t, i->why);
	}
	sheet_rank(t, 0, m->s->options->top);
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
	struct shown_modules m = {.s = s};
	int rc = read_modules(&m, counted, e);

	if (!rc) {
		state_program(&m);
		rc = put_all(&m, e);
	}
	free_modules(&m);
	return rc;
}
