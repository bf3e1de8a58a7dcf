/* SPDX-License-Identifier: MIT */
/* A comparison as a page: scores and functions as tables, edges or functions as points, source. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/order.h"
#include "compare/diff.h"
#include "converter/debuginfo/declarations.h"
#include "report/compare_reports.h"
#include "report/html/page.h"
#include "report/source_files.h"

/* The source that ran, with the counts of both sides of a comparison. */

struct diff_source {
	struct source_files files;
	struct map lines; /* (file, line) -> n, m = counts of the sides, inlined code where it is */
	double total[2];
};

static int add_line(struct diff_source *s, unsigned side, const char *file, uint64_t line,
		    uint64_t count)
{
	uint32_t number = strings_add_text(s->files.names, file);
	struct map_entry *at = number == STRINGS_NONE ? NULL : map_at(&s->lines, number, line);

	if (!at)
		return -1;
	*(side ? &at->m : &at->n) += count;
	s->total[side] += (double)count;
	return 0;
}

static int add_side(struct diff_source *s, unsigned side, const struct declarations *known,
		    const struct source_profile *flat)
{
	const struct source_function *f;
	const struct source_line *l;

	vector_each (&flat->functions, f) {
		const char *name = strings_text(flat->strings, f->name);

		vector_each (&f->lines, l) {
			const char *file = "";
			int64_t line = declarations_line(known, name, l->at.line, &file);

			if (line > 0 && *file && add_line(s, side, file, (uint64_t)line, l->count))
				return -1;
		}
	}
	return 0;
}

/* @d has source profiles and a binary. Files are looked for below @root. @out is initialised by
 * the call, ended with diff_source_deinit also on failure. */
static int diff_source_read(struct diff_source *out, const struct diff *d, const char *root,
			    struct softlbr_error *e)
{
	int rc = 0;

	*out = (struct diff_source){0};
	if (source_files_init(&out->files))
		return error_set_nomem(e);
	for (unsigned side = 0; side < 2 && !rc; side++) {
		struct declarations known = {0};
		struct source_profile flat;

		if (source_flatten_profile(&d->sides[side].counts.source, &flat))
			rc = error_set_nomem(e);
		if (!rc)
			rc = declarations_read(&known, d->binary, &d->sides[side].counts.source, e);
		if (!rc && add_side(out, side, &known, &flat))
			rc = error_set_nomem(e);
		source_profile_deinit(&flat);
		declarations_deinit(&known);
	}
	return rc ?: source_files_find(&out->files, root, e);
}

/* A comparison as a page: scores and functions as tables, edges or functions as points, source. */

#define POINTS_MAX 3000

/* Source is shown near lines that have at least this share of a side. */
#define LINE_SHARE_LEAST  0.0005
#define DIFFERENCE_MARKED 0.01

static void state_side(struct document *s, const struct diff *d, unsigned side)
{
	const struct side *c = &d->sides[side];

	document_fact_text(s, side ? "b" : "a", side ? "B" : "A", c->path);
	document_fact_text(s, side ? "b_kind" : "a_kind", side ? "B is" : "A is",
			   profile_kind_name(c->kind));
	if (d->has_edges)
		document_fact_number(s, side ? "b_taken" : "a_taken",
				     side ? "taken branches of B" : "taken branches of A",
				     d->edges.taken[side]);
	if (d->reference == side)
		document_fact_text(s, "reference", "reference", side ? "B" : "A");
}

static void state_edges(struct document *s, const struct diff *d)
{
	if (!isnan(d->edge_score.taken_ratio_error)) {
		document_fact_share(s, "taken_ratio_error",
				    "taken ratios of conditional jumps differ by, on average",
				    d->edge_score.taken_ratio_error);
		document_fact_share(s, "taken_ratio_covered", "over this share of their weight",
				    d->edge_score.taken_ratio_covered);
	}
	for (enum edges_note note = 0; note < EDGES_NOTES; note++)
		if (edges_note_holds(&d->edges, note))
			document_fact_text(s, "note", "note", edges_note_text(note));
}

static void put_scores(struct document *s, const struct diff *d)
{

	document_table(s, "scores", "Scores (with their 95 % confidence interval)",
		       "level, score, low: at least, high: at most, ceiling, of");
	for (int level = 0; level < DIFF_LEVELS; level++) {
		const struct diff_confidence *c = &d->confidence[level];

		if (isnan(d->scores[level]))
			continue;
		document_put_text(s, diff_level_name((enum diff_level)level));
		document_put_fraction(s, d->scores[level]);
		document_put_fraction(s, c->low);
		document_put_fraction(s, c->high);
		document_put_fraction(s, isnan(c->low) ? NAN : c->ceiling);
		document_put_text(s, diff_level_meaning((enum diff_level)level));
	}
}

static void put_functions(struct document *s, const struct diff *d, size_t top)
{
	const struct diff_function *f;

	document_table(
		s, "functions",
		"Functions by lost overlap (lost: share of the total mismatch; A, B: shares of all "
		"counts; within: overlap of the function's own counts)",
		"lost, a: A, b: B, within, name: function");
	vector_each (&d->functions, f) {
		if ((size_t)(f - d->functions.items) == top)
			break;
		document_put_fraction(s, f->lost);
		document_put_fraction(s, f->share[0]);
		document_put_fraction(s, f->share[1]);
		document_put_fraction(s, f->within);
		document_put_symbol(s, f->name);
	}
	document_end(s, d->functions.count);
}

struct points {
	VECTOR(struct page_point) items;
};

static int compare_points(const void *a, const void *b)
{
	const struct page_point *x = a, *y = b;
	double p = fmax(x->share[0], x->share[1]), q = fmax(y->share[0], y->share[1]);

	return order_reals(q, p)
	       ?: order_numbers(x->from, y->from)
	       ?: order_numbers(x->to, y->to)
	       ?: strcmp(x->name, y->name);
}

static int list_edges(const struct diff *d, struct points *points)
{
	size_t count;
	const struct binary_function *all = binary_functions(d->binary, &count);
	const struct edge *edge;
	double total[2] = {0};

	vector_each (&d->edges.items, edge)
		for (int side = 0; side < 2; side++)
			total[side] += (double)edge->counts[side];
	vector_each (&d->edges.items, edge) {
		if (vector_add(&points->items,
			       (struct page_point){{(double)edge->counts[0] / fmax(1, total[0]),
						    (double)edge->counts[1] / fmax(1, total[1])},
						   edge->function < count ? all[edge->function].name
									  : "",
						   edge->from,
						   edge->to}))
			return -1;
	}
	return 0;
}

static int list_functions(const struct diff *d, struct points *points)
{
	const struct diff_function *f;

	vector_each (&d->functions, f) {
		if (vector_add(&points->items,
			       (struct page_point){{f->share[0], f->share[1]}, f->name, 0, 0}))
			return -1;
	}
	return 0;
}

static int put_points(const struct diff *d, bool mangled, FILE *out)
{
	struct points points = {0};
	int rc = d->has_edges ? list_edges(d, &points) : list_functions(d, &points);

	page_begin_section(out, "points", d->has_edges ? "Edges" : "Functions against each other");
	if (!rc) {
		vector_sort(&points.items, compare_points);
		page_scatter_put(points.items.items,
				 points.items.count < POINTS_MAX ? points.items.count : POINTS_MAX,
				 mangled, out);
	}
	page_end_section(out);
	vector_deinit(&points.items);
	return rc;
}

static double line_share(const struct diff_source *s, unsigned side, const struct map_entry *line)
{
	double count = (double)(side ? line->m : line->n);

	return s->total[side] > 0 ? count / s->total[side] : 0;
}

/* A file at work. */
struct shown_file {
	const struct diff_source *source;
	uint32_t number;
	uint64_t last; /* line that was put; 0: none yet */
	FILE *out;
};

static bool is_hot(void *context, uint64_t line)
{
	const struct shown_file *f = context;
	const struct diff_source *s = f->source;
	const struct map_entry *e = map_find(&s->lines, f->number, line);

	return e && fmax(line_share(s, 0, e), line_share(s, 1, e)) >= LINE_SHARE_LEAST;
}

static void put_line(const struct diff_source *s, uint32_t file, uint64_t number, const char *text,
		     bool gap, FILE *out)
{
	const struct map_entry *e = map_find(&s->lines, file, number);
	double share[2] = {0};

	fprintf(out, "<tr%s><td>%" PRIu64, gap ? " class=\"gap\"" : "", number);
	for (unsigned side = 0; side < 2; side++) {
		share[side] = e ? line_share(s, side, e) : 0;
		if (e)
			fprintf(out, "<td class=\"share\" data-v=\"%.6g\">%.3f %%", share[side],
				100 * share[side]);
		else
			fputs("<td class=\"none\">", out);
	}
	fprintf(out, "<td class=\"code t%s\">",
		fabs(share[0] - share[1]) >= DIFFERENCE_MARKED ? " differs" : "");
	page_put_text(out, text);
	fputc('\n', out);
}

static void begin_file(const char *name, uint32_t number, FILE *out)
{
	char id[32];

	snprintf(id, sizeof(id), "source-%" PRIu32, number);
	page_begin_section(out, id, name);
	fprintf(out,
		"<div class=\"table\" role=\"region\" tabindex=\"0\" aria-labelledby=\"%s-title\">"
		"<table><thead><tr><th>line<th>A<th>B<th class=\"t\">source</thead>\n<tbody>\n",
		id);
}

static void put_text_line(void *context, uint64_t line, const char *text)
{
	struct shown_file *f = context;

	if (!f->last)
		begin_file(strings_text(f->source->files.names, f->number), f->number, f->out);
	put_line(f->source, f->number, line, text, f->last && line != f->last + 1, f->out);
	f->last = line;
}

static int put_file(const struct diff_source *s, uint32_t number, FILE *out,
		    struct softlbr_error *e)
{
	struct shown_file f = {.source = s, .number = number, .out = out};
	const struct source_lines lines = {is_hot, put_text_line, &f};
	int rc = source_lines_put(&lines, s->files.paths.items[number], e);

	if (f.last) {
		fputs("</tbody></table></div>\n", out);
		page_end_section(out);
	}
	return rc;
}

static int put_source(const struct diff *d, const char *root, FILE *out, struct softlbr_error *e)
{
	struct diff_source s;
	int rc = diff_source_read(&s, d, root, e);

	fputs("<p class=\"note\">Source: shares of all counts at lines; inlined code where it is written; "
	      "marked where they differ by a point or more.</p>\n",
	      out);
	for (uint32_t file = 1; !rc && file < s.files.paths.count; file++)
		if (s.files.paths.items[file])
			rc = put_file(&s, file, out, e);
	source_files_deinit(&s.files);
	map_deinit(&s.lines);
	return rc;
}

static int put_tables(const struct diff *d, size_t top, const struct document_style *style,
		      FILE *out)
{
	struct document document;
	int rc;

	document_init(&document);
	state_side(&document, d, 0);
	state_side(&document, d, 1);
	if (d->has_edges)
		state_edges(&document, d);
	put_scores(&document, d);
	put_functions(&document, d, top);
	page_document_put_facts(&document, style, out);
	rc = document.failed ? -1 : page_document_put_tables(&document, style, out);
	document_deinit(&document);
	return rc;
}

int diff_html_report(const struct diff *d, size_t top, const struct document_style *style,
		     const char *source_root, FILE *stream, struct softlbr_error *e)
{
	int rc = 0;

	page_begin(stream, "softlbr diff");
	if (put_tables(d, top, style, stream) || put_points(d, style->mangled, stream))
		rc = error_set_nomem(e);
	if (!rc && source_root && d->has_source && d->binary)
		rc = put_source(d, source_root, stream, e);
	page_end(stream);
	return rc;
}
