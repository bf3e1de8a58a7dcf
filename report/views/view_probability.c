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
	struct document *s = v->out;
	double low, high;

	wilson_interval(row->site.ended, whole, &low, &high);
	document_put_number(s, whole);
	document_put_number(s, row->site.ended);
	document_put_number(s, row->site.passed);
	document_put_share(s, row->site.ended, whole);
	document_put_fraction(s, low);
	document_put_fraction(s, high);
	if (v->options->group != REPORT_BY_BRANCH)
		document_put_number(s, row->branches);
	code_group_put(v, p, row->site.va);
	if (v->options->group == REPORT_BY_BRANCH)
		code_group_put_source(v, p, row->site.va);
}

static int put_conditional(struct view *v)
{
	static const struct document_column columns[] = {
		{"executions", "executions"},	{"taken", "taken"},   {"not_taken", "not taken"},
		{"probability", "probability"}, {"low", "at least"},  {"high", "at most"},
		{"branch", "branch"},		{"source", "source"},
	};
	static const struct document_column grouped[] = {
		{"executions", "executions"},	{"taken", "taken"},  {"not_taken", "not taken"},
		{"probability", "probability"}, {"low", "at least"}, {"high", "at most"},
		{"branches", "branches"},	{"place", "place"},
	};
	struct site_rows rows = {0};
	const struct site_row *row;
	int rc = site_rows_make(&rows, v, executions);

	document_table(v->out, "probabilities",
		       "Probability of conditional branches (taken, 95 % interval)",
		       v->options->group == REPORT_BY_BRANCH ? columns : grouped,
		       sizeof(columns) / sizeof(*columns));
	vector_each (&rows.items, row) {
		if (v->options->top && row == rows.items.items + v->options->top)
			break;
		put_site(v, row);
	}
	document_end(v->out, rows.items.count);
	site_rows_deinit(&rows);
	return rc;
}

static int put_targets(struct view *v)
{
	static const struct document_column columns[] = {
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

	document_table(v->out, "targets",
		       "Targets of switches and indirect calls (share: of where they begin)",
		       COLUMNS(columns));
	vector_each (&rows.items, row) {
		struct view_part *p = &v->parts.items[row->part];

		if (v->options->top && row == rows.items.items + v->options->top)
			break;
		document_put_number(v->out, row->count);
		document_put_share(v->out, row->count, row->leaving);
		document_put_text(v->out, code_group_kind(row->site->kind));
		code_group_put(v, p, row->from);
		code_group_put(v, p, row->to);
		code_group_put_source(v, p, row->from);
		code_group_put_source(v, p, row->to);
	}
	document_end(v->out, rows.items.count);
	branch_rows_deinit(&rows);
	return rc;
}

int view_probability(struct view *v)
{
	int rc = put_conditional(v);

	return rc ? rc : put_targets(v);
}
