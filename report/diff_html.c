/* SPDX-License-Identifier: MIT */
/* A comparison as one HTML file that needs no other and no network. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/demangle.h"
#include "report/diff_report.h"
#include "report/diff_source.h"

#define POINTS_MAX   3000
#define PLOT_PIXELS  480
#define PLOT_MARGIN  48
#define PLOT_DECADES 6 /* of shares, down from 1 */

/* Of the source only what is near lines of at least such a share of a side. */
#define LINE_SHARE_LEAST 0.0005
#define LINES_AROUND	 2

/* Of a function's name in a table. */
#define NAME_BYTES 60

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n<title>softlbr diff</title>\n"
	"<style>\n"
	"body{font:15px/1.45 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem;"
	"color:#222}\n"
	"h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}\n"
	"table{border-collapse:collapse}td,th{padding:.15rem .7rem;text-align:right}\n"
	"th{border-bottom:1px solid #999;font-weight:600}td.t,th.t{text-align:left}\n"
	"td.big{font-weight:700}\n"
	".bar{display:inline-block;height:.7rem;vertical-align:middle}\n"
	".a{background:#3b76c4}.b{background:#d9822b}\n"
	"pre,code,td.c{font:13px/1.4 ui-monospace,monospace;white-space:pre}\n"
	"tr.gap td{border-top:1px dashed #bbb}svg{background:#fafafa}\n"
	"circle{fill:#3b76c4;fill-opacity:.5}small{color:#666}\n"
	"</style></head><body>\n";

static void put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc((unsigned char)*text < ' ' ? '?' : *text, out);
		}
}

/* ---- scores ---------------------------------------------------------------------------------- */

static void put_side(const struct diff *d, unsigned side, FILE *out)
{
	const struct comparand *c = &d->sides[side];

	fprintf(out, "<p><span class=\"bar %c\" style=\"width:.7rem\"></span> <b>%c</b> <code>",
		side ? 'b' : 'a', side ? 'B' : 'A');
	put_text(out, c->path);
	fprintf(out, "</code> (%s", profile_kind_name(c->kind));
	if (d->has_edges)
		fprintf(out, ", %" PRIu64 " taken branches", d->edges.taken[side]);
	fprintf(out, "%s)</p>\n", d->reference == side ? ", the reference" : "");
}

static void put_scores(const struct diff *d, FILE *out)
{
	fputs("<h2>Scores</h2>\n<table><tr><th class=\"t\">level<th>score<th>95 % confidence "
	      "interval<th>ceiling<th class=\"t\">of\n",
	      out);
	for (int level = 0; level < DIFF_LEVELS; level++) {
		const struct diff_confidence *c = &d->confidence[level];

		if (isnan(d->scores[level]))
			continue;
		fprintf(out, "<tr><td class=\"t\">%s<td class=\"big\">%.2f %%",
			diff_level_name((enum diff_level)level), 100 * d->scores[level]);
		if (isnan(c->low))
			fputs("<td><td>", out);
		else
			fprintf(out, "<td>%.2f to %.2f<td>", 100 * c->low, 100 * c->high);
		if (!isnan(c->low) && !isnan(c->ceiling))
			fprintf(out, "%.2f", 100 * c->ceiling);
		fputs("<td class=\"t\">", out);
		put_text(out, diff_level_meaning((enum diff_level)level));
		fputc('\n', out);
	}
	fputs("</table>\n", out);
	if (!d->has_edges)
		return;
	if (!isnan(d->edge_score.taken_ratio_error))
		fprintf(out,
			"<p>Taken ratios of conditional jumps differ by %.2f points on average, over "
			"%.1f %% of their weight.</p>\n",
			100 * d->edge_score.taken_ratio_error,
			100 * d->edge_score.taken_ratio_covered);
	for (enum edges_note note = 0; note < EDGES_NOTES; note++)
		if (edges_note_holds(&d->edges, note))
			fprintf(out, "<p>%s.</p>\n", edges_note_text(note));
}

/* ---- functions ------------------------------------------------------------------------------- */

/* The whole name, shortened but for whoever hovers over it. */
static void put_name(const char *name, const struct sheet_style *style, FILE *out)
{
	char *demangled = style->mangled ? NULL : demangle_text(name), room[NAME_BYTES + 1];
	const char *whole = demangled ? demangled : name;

	fputs("<code title=\"", out);
	put_text(out, whole);
	fputs("\">", out);
	put_text(out, demangle_shorten(whole, NAME_BYTES, room));
	fputs("</code>", out);
	memory_free(demangled);
}

static void put_bars(const double share[2], double most, FILE *out)
{
	for (int side = 0; side < 2; side++)
		fprintf(out, "<span class=\"bar %c\" style=\"width:%.2frem\"></span>%s",
			side ? 'b' : 'a', most > 0 ? 12 * share[side] / most : 0,
			side ? "" : "<br>");
}

static void put_functions(const struct diff *d, size_t top, const struct sheet_style *style,
			  FILE *out)
{
	const struct diff_function *f;
	double most = 0;

	vector_each (&d->functions, f)
		if ((size_t)(f - d->functions.items) < top)
			most = fmax(most, fmax(f->share[0], f->share[1]));
	fputs("<h2>Functions by lost overlap</h2>\n<table><tr><th class=\"t\">function<th "
	      "class=\"t\">shares<th>A<th>B<th>within<th>lost\n",
	      out);
	vector_each (&d->functions, f) {
		if ((size_t)(f - d->functions.items) == top)
			break;
		fputs("<tr><td class=\"t\">", out);
		put_name(f->name, style, out);
		fputs("<td class=\"t\">", out);
		put_bars(f->share, most, out);
		fprintf(out, "<td>%.2f %%<td>%.2f %%<td>", 100 * f->share[0], 100 * f->share[1]);
		if (isnan(f->within))
			fputc('-', out);
		else
			fprintf(out, "%.2f %%", 100 * f->within);
		fprintf(out, "<td>%.2f %%\n", 100 * f->lost);
	}
	fputs("</table>\n<p><small>within: overlap of the function's own counts; lost: its share of the "
	      "total mismatch</small></p>\n",
	      out);
}

/* ---- scatter plot ---------------------------------------------------------------------------- */

struct point {
	double share[2];
	uint64_t from, to;
	const char *name;
};

struct points {
	VECTOR(struct point) items;
};

static int compare_points(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	double p = fmax(x->share[0], x->share[1]), q = fmax(y->share[0], y->share[1]);

	if (p > q || p < q)
		return p > q ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
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
		struct point *p = vector_push(&points->items);

		if (!p)
			return -1;
		*p = (struct point){{(double)edge->counts[0] / fmax(1, total[0]),
				     (double)edge->counts[1] / fmax(1, total[1])},
				    edge->from,
				    edge->to,
				    edge->function < count ? all[edge->function].name : ""};
	}
	return 0;
}

static int list_functions(const struct diff *d, struct points *points)
{
	const struct diff_function *f;

	vector_each (&d->functions, f) {
		struct point *p = vector_push(&points->items);

		if (!p)
			return -1;
		*p = (struct point){{f->share[0], f->share[1]}, 0, 0, f->name};
	}
	return 0;
}

static int list_points(const struct diff *d, struct points *points)
{
	if (d->has_edges ? list_edges(d, points) : list_functions(d, points))
		return -1;
	vector_sort(&points->items, compare_points);
	return 0;
}

/* From the left or the bottom, of a logarithmic axis; what is less lies on the axis. */
static double place(double share)
{
	double decades = share > 0 ? log10(share) + PLOT_DECADES : 0;

	return fmax(0, decades) / PLOT_DECADES * PLOT_PIXELS;
}

static void put_axes(FILE *out)
{
	int size = PLOT_PIXELS + 2 * PLOT_MARGIN;

	fprintf(out,
		"<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-size=\"11\" "
		"role=\"img\">\n",
		size, size, size, size);
	fprintf(out,
		"<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#999\" "
		"stroke-dasharray=\"4\"/>\n",
		PLOT_MARGIN, size - PLOT_MARGIN, size - PLOT_MARGIN, PLOT_MARGIN);
	for (int decade = 0; decade <= PLOT_DECADES; decade += 2) {
		double at = PLOT_MARGIN + (double)PLOT_PIXELS * decade / PLOT_DECADES;
		double label = 100 * pow(10, decade - PLOT_DECADES);

		fprintf(out,
			"<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\">%g %%</text>"
			"<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">%g %%</text>\n",
			at, size - PLOT_MARGIN + 18, label, PLOT_MARGIN - 6, size - at + 4, label);
	}
	fprintf(out,
		"<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">share in A</text>"
		"<text x=\"14\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 14 %d)\">share "
		"in B</text>\n",
		size / 2, size - 8, size / 2, size / 2);
}

static void put_point_name(const char *name, const struct sheet_style *style, FILE *out)
{
	char *demangled = style->mangled ? NULL : demangle_text(name);

	put_text(out, demangled ? demangled : name);
	memory_free(demangled);
}

static int put_plot(const struct diff *d, const struct sheet_style *style, FILE *out)
{
	struct points points = {0};
	const struct point *p;
	int rc = list_points(d, &points);

	fprintf(out, "<h2>%s</h2>\n", d->has_edges ? "Edges" : "Functions");
	put_axes(out);
	vector_each (&points.items, p) {
		if (rc || p - points.items.items == POINTS_MAX)
			break;
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>",
			PLOT_MARGIN + place(p->share[0]),
			PLOT_MARGIN + PLOT_PIXELS - place(p->share[1]));
		put_point_name(p->name, style, out);
		if (p->from)
			fprintf(out, " %" PRIx64 " to %" PRIx64, p->from, p->to);
		fprintf(out, ": %.4f %%, %.4f %%</title></circle>\n", 100 * p->share[0],
			100 * p->share[1]);
	}
	fputs("</svg>\n<p><small>On the diagonal both sides have the same share. Hover over a point for "
	      "its name.</small></p>\n",
	      out);
	vector_deinit(&points.items);
	return rc;
}

/* ---- source ---------------------------------------------------------------------------------- */

static double line_share(const struct diff_source *s, unsigned side, const struct map_entry *line)
{
	double count = (double)(side ? line->m : line->n);

	return s->total[side] > 0 ? count / s->total[side] : 0;
}

static bool is_hot(const struct diff_source *s, uint32_t file, uint64_t line)
{
	const struct map_entry *e = map_find(&s->lines, file, line);

	return e && fmax(line_share(s, 0, e), line_share(s, 1, e)) >= LINE_SHARE_LEAST;
}

static bool is_near(const struct diff_source *s, uint32_t file, uint64_t line)
{
	for (uint64_t i = line > LINES_AROUND ? line - LINES_AROUND : 1; i <= line + LINES_AROUND;
	     i++)
		if (is_hot(s, file, i))
			return true;
	return false;
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
			fprintf(out, "<td>%.3f %%", 100 * share[side]);
		else
			fputs("<td>", out);
	}
	fprintf(out, "<td class=\"c t\"%s>",
		fabs(share[0] - share[1]) >= 0.01 ? " style=\"background:#fde7c7\"" : "");
	put_text(out, text);
	fputc('\n', out);
}

static int put_file(const struct diff_source *s, uint32_t file, FILE *out, struct softlbr_error *e)
{
	char text[SOURCE_LINE_BYTES_MAX + 1];
	const char *at, *end, *stop;
	struct file_view v;
	uint64_t last = 0;
	int rc = file_view_open(&v, s->files.paths.items[file], e);

	if (rc)
		return rc;
	at = (const char *)v.data;
	end = at + v.size;
	for (uint64_t line = 1; at < end; line++, at = stop + 1) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		stop = newline ? newline : end;
		if (!is_near(s, file, line))
			continue;
		if (!last) {
			fputs("<h3><code>", out);
			put_text(out, strings_text(s->files.names, file));
			fputs("</code></h3>\n<table><tr><th>line<th>A<th>B<th class=\"t\">source\n",
			      out);
		}
		source_files_line(text, at, (size_t)(stop - at));
		put_line(s, file, line, text, last && line != last + 1, out);
		last = line;
	}
	if (last)
		fputs("</table>\n", out);
	file_view_close(&v);
	return 0;
}

static int put_source(const struct diff *d, const char *root, FILE *out, struct softlbr_error *e)
{
	struct diff_source s;
	int rc = diff_source_read(&s, d, root, e);

	fputs("<h2>Source</h2>\n<p><small>shares of all counts at source lines; inlined code where it is "
	      "written; marked where they differ by a point</small></p>\n",
	      out);
	for (uint32_t file = 1; !rc && file < s.files.paths.count; file++)
		if (s.files.paths.items[file])
			rc = put_file(&s, file, out, e);
	diff_source_deinit(&s);
	return rc;
}

static bool is_page(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	(void)kind;
	return size >= sizeof(head) - 1 &&
	       !memcmp(data, head, (size_t)(strstr(head, "<style>") - head));
}

const struct file_guard_kind diff_html_kind = {.name = "a page of softlbr diff", .is = is_page};

int diff_html_report(const struct diff *d, size_t top, const struct sheet_style *style,
		     const char *source_root, FILE *stream, struct softlbr_error *e)
{
	int rc = 0;

	fputs(head, stream);
	fputs("<h1>softlbr diff</h1>\n", stream);
	put_side(d, 0, stream);
	put_side(d, 1, stream);
	put_scores(d, stream);
	put_functions(d, top, style, stream);
	if (put_plot(d, style, stream))
		rc = error_set_nomem(e);
	if (!rc && source_root && d->has_source && d->binary)
		rc = put_source(d, source_root, stream, e);
	fputs("</body></html>\n", stream);
	return rc;
}
