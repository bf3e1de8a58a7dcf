/* SPDX-License-Identifier: MIT */
#include "report/update_report.h"

static uint64_t sum_of(const uint64_t counts[UPDATE_KINDS])
{
	uint64_t sum = 0;

	for (int i = 0; i < UPDATE_KINDS; i++)
		sum = source_count_add(sum, counts[i]);
	return sum;
}

static void put_row(struct document *s, const char *what, uint64_t functions, uint64_t lines,
		    uint64_t weight, uint64_t whole)
{
	document_put_text(s, what);
	document_put_number(s, functions);
	document_put_number(s, lines);
	document_put_number(s, weight);
	document_put_share(s, weight, whole);
}

static void put_funnel(const struct update *u, struct document *s)
{
	const struct update_funnel *f = update_funnel_of(u);
	uint64_t whole = sum_of(f->weight);

	document_table(s, "funnel", "What became of the profile",
		       u->kind == PROFILE_GCDA
			       ? "what, functions, arcs, counts, share: share of the counts"
		       : u->kind == PROFILE_FDATA
			       ? "what, functions, records, counts, share: share of the counts"
			       : "what, functions, lines, counts, share: share of the counts");
	for (int i = 0; i < UPDATE_KINDS; i++)
		put_row(s, update_kind_name((enum update_kind)i), f->functions[i], f->lines[i],
			f->weight[i], whole);
	put_row(s, "in all", sum_of(f->functions), sum_of(f->lines), whole, whole);
	document_end(s, UPDATE_KINDS + 1);
}

static const char *reason(const struct update *u, const struct update_loss *l)
{
	if (u->kind == PROFILE_GCDA)
		return l->whole ? "no function has its name, and none a graph that is its alone"
				: "its control-flow graph changed";
	if (u->kind == PROFILE_FDATA)
		return l->whole ? "no function has its name, and none similar code"
				: "blocks that are gone or changed";
	if (l->other_parameters)
		return "its parameters or outer names changed, and with them its linkage name: "
		       "give --new-binary";
	return l->whole ? "no function has its name, and none a similar body"
			: "lines that are gone or changed";
}

static void put_losses(const struct update *u, size_t top, struct document *s)
{
	size_t count;
	const struct update_loss *l = update_losses_of(u, &count);

	if (!count)
		return;
	document_table(s, "lost", "Lost", "function, counts, why");
	for (size_t i = 0; i < count && (!top || i < top); i++) {
		document_put_symbol(s, l[i].name);
		document_put_number(s, l[i].weight);
		document_put_text(s, reason(u, &l[i]));
	}
	document_end(s, count);
}

void update_report_fill(const struct update *u, size_t top, struct document *out)
{
	document_init(out);
	put_funnel(u, out);
	put_losses(u, top, out);
}
