/* SPDX-License-Identifier: MIT */
/*
 * Which branches the CPU predicts wrongly, where hardware recorded that: of those taken, since a
 * branch stack has no others.
 */
#include "report/views/site_rows.h"

static uint64_t mispredictions(const struct branch_site *site)
{
	return site->mispredicted;
}

static void put_site(struct view *v, const struct site_row *row, uint64_t all)
{
	const uint64_t told = row->site.predicted + row->site.mispredicted;
	struct view_part *p = &v->parts.items[row->part];
	bool each = v->options->group == REPORT_BY_BRANCH;
	struct document *s = v->out;

	document_put_number(s, row->site.mispredicted);
	document_put_share(s, row->site.mispredicted, all);
	document_put_number(s, told);
	document_put_share(s, row->site.mispredicted, told);
	if (each)
		document_put_text(s, code_group_kind(row->site.kind));
	else
		document_put_number(s, row->branches);
	code_group_put(v, p, row->site.va);
	if (each)
		code_group_put_source(v, p, row->site.va);
}

int view_misprediction(struct view *v)
{
	static const struct document_column columns[] = {
		{"mispredicted", "mispredicted"},
		{"share", "share"},
		{"taken", "taken"},
		{"rate", "rate of taken"},
		{"kind", "kind"},
		{"branch", "branch"},
		{"source", "source"},
	};
	static const struct document_column grouped[] = {
		{"mispredicted", "mispredicted"}, {"share", "share"},	    {"taken", "taken"},
		{"rate", "rate of taken"},	  {"branches", "branches"}, {"place", "place"},
	};
	struct site_rows rows = {0};
	const struct site_row *row;
	uint64_t all = 0;
	int rc = site_rows_make(&rows, v, mispredictions);

	vector_each (&rows.items, row)
		all += row->site.mispredicted;
	if (v->options->group == REPORT_BY_BRANCH)
		document_table(v->out, "mispredictions", "Mispredicted branches", COLUMNS(columns));
	else
		document_table(v->out, "mispredictions", "Mispredicted branches", COLUMNS(grouped));
	vector_each (&rows.items, row) {
		if (v->options->top && row == rows.items.items + v->options->top)
			break;
		put_site(v, row, all);
	}
	document_end(v->out, rows.items.count);
	site_rows_deinit(&rows);
	return rc;
}
