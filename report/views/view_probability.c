/* SPDX-License-Identifier: MIT */
/*
 * How probable each conditional branch is to be taken, with what chance leaves open; and which
 * share each target of a switch or an indirect call has.
 */
#include "report/views/branch_rows.h"
#include "report/views/site_rows.h"
#include "report/views/wilson.h"

static uint64_t executions(const struct branch_site *site)
{
	return site->ended + site->passed;
}

static void put_site(struct view *v, const struct site_row *row)
{
	struct view_part *p = &v->parts.items[row->part];
	const uint64_t whole = executions(&row->site);
	struct sheet *s = v->sheet;
	double low, high;

	wilson_interval(row->site.ended, whole, &low, &high);
	sheet_put_number(s, whole);
	sheet_put_number(s, row->site.ended);
	sheet_put_number(s, row->site.passed);
	sheet_put_share(s, row->site.ended, whole);
	sheet_put_fraction(s, low);
	sheet_put_fraction(s, high);
	if (v->options->group != REPORT_BY_BRANCH)
		sheet_put_number(s, row->branches);
	code_group_put(v, p, row->site.va);
	if (v->options->group == REPORT_BY_BRANCH)
		code_group_put_source(v, p, row->site.va);
}

static int put_conditional(struct view *v)
{
	static const struct sheet_column columns[] = {
		{"executions", "executions"},	{"taken", "taken"},   {"not_taken", "not taken"},
		{"probability", "probability"}, {"low", "at least"},  {"high", "at most"},
		{"branch", "branch"},		{"source", "source"},
	};
	static const struct sheet_column grouped[] = {
		{"executions", "executions"},	{"taken", "taken"},  {"not_taken", "not taken"},
		{"probability", "probability"}, {"low", "at least"}, {"high", "at most"},
		{"branches", "branches"},	{"place", "place"},
	};
	struct site_rows rows = {0};
	const struct site_row *row;
	int rc = site_rows_make(&rows, v, executions);

	sheet_table(v->sheet, "probabilities",
		    "Probability of conditional branches (taken, 95 % interval)",
		    v->options->group == REPORT_BY_BRANCH ? columns : grouped,
		    sizeof(columns) / sizeof(*columns));
	vector_each (&rows.items, row) {
		if (v->options->top && row == rows.items.items + v->options->top)
			break;
		put_site(v, row);
	}
	sheet_end(v->sheet, rows.items.count);
	site_rows_deinit(&rows);
	return rc;
}

static int put_targets(struct view *v)
{
	static const struct sheet_column columns[] = {
		{"count", "count"},
		{"share", "share"},
		{"kind", "kind"},
		{"from", "from"},
		{"to", "to"},
		{"from_source", "source"},
		{"to_source", "target's source"},
	};
	struct branch_rows rows = {0};
	const struct branch_row *row;
	int rc = branch_rows_make(&rows, v, 1 << ISA_JUMP_INDIRECT | 1 << ISA_CALL_INDIRECT);

	sheet_table(v->sheet, "targets",
		    "Targets of switches and indirect calls (share: of where they begin)",
		    COLUMNS(columns));
	vector_each (&rows.items, row) {
		struct view_part *p = &v->parts.items[row->part];

		if (v->options->top && row == rows.items.items + v->options->top)
			break;
		sheet_put_number(v->sheet, row->count);
		sheet_put_share(v->sheet, row->count, row->leaving);
		sheet_put_text(v->sheet, code_group_kind(row->site->kind));
		code_group_put(v, p, row->from);
		code_group_put(v, p, row->to);
		code_group_put_source(v, p, row->from);
		code_group_put_source(v, p, row->to);
	}
	sheet_end(v->sheet, rows.items.count);
	branch_rows_deinit(&rows);
	return rc;
}

int view_probability(struct view *v)
{
	int rc = put_conditional(v);

	return rc ? rc : put_targets(v);
}
