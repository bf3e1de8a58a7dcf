/* SPDX-License-Identifier: MIT */
/* Hot branches: which are taken most, from where to where. */
#include "report/views/branch_rows.h"

static void begin_table(struct view *v)
{
	static const struct document_column columns[] = {
		{"count", "count"},
		{"share", "share"},
		{"kind", "kind"},
		{"probability", "probability"},
		{"mispredicted", "mispredicted"},
		{"from", "from"},
		{"to", "to"},
		{"from_source", "source"},
		{"to_source", "target's source"},
	};
	static const struct document_column grouped[] = {
		{"count", "count"},	  {"share", "share"},
		{"branches", "branches"}, {"mispredicted", "mispredicted"},
		{"from", "from"},	  {"to", "to"},
	};

	if (v->options->group == REPORT_BY_BRANCH)
		document_table(v->out, "branches", "Hot branches", COLUMNS(columns));
	else
		document_table(v->out, "branches", "Hot branches", COLUMNS(grouped));
}

/* Of a conditional branch how often it is taken, of an indirect one how often to this target. */
static void put_probability(struct document *s, const struct branch_row *row)
{
	if (row->site->kind == ISA_JUMP_CONDITIONAL)
		document_put_share(s, row->site->ended, row->site->ended + row->site->passed);
	else if (row->site->kind == ISA_JUMP_INDIRECT || row->site->kind == ISA_CALL_INDIRECT)
		document_put_share(s, row->count, row->leaving);
	else
		document_put_none(s);
}

static void put_row(struct view *v, const struct branch_row *row, uint64_t sum)
{
	struct view_part *p = &v->parts.items[row->part];
	bool each = v->options->group == REPORT_BY_BRANCH;
	struct document *s = v->out;

	document_put_number(s, row->count);
	document_put_share(s, row->count, sum);
	if (each) {
		document_put_text(s, code_group_kind(row->site->kind));
		put_probability(s, row);
	} else {
		document_put_number(s, row->branches);
	}
	document_put_share(s, row->mispredicted, row->predicted + row->mispredicted);
	code_group_put(v, p, row->from);
	code_group_put(v, p, row->to);
	if (each) {
		code_group_put_source(v, p, row->from);
		code_group_put_source(v, p, row->to);
	}
}

int view_branches(struct view *v)
{
	struct branch_rows rows = {0};
	const struct branch_row *row;
	int rc = branch_rows_make(&rows, v, ~0u);

	begin_table(v);
	vector_each (&rows.items, row) {
		if (v->options->top && row == rows.items.items + v->options->top)
			break;
		put_row(v, row, rows.sum);
	}
	document_end(v->out, rows.items.count);
	branch_rows_deinit(&rows);
	return rc;
}
