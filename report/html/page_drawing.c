/* SPDX-License-Identifier: MIT */
/*
 * Drawings in a page: histograms and points as SVG; flame graphs and control-flow graphs as data
 * that the page's script draws, JSON in a script element that is not run.
 */
#include "report/html/page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "report/demangle.h"

/* ---- data for the script ------------------------------------------------------------------- */

/* As JSON has it; no < ends the element, and no foreign byte the text. */
static void put_json_text(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte < ' ' || byte == '<' || byte == '"' || byte == '\\' || byte == 0x7f)
			fprintf(out, "\\u%04x", byte);
		else
			text += page_put_character(out, text) - 1;
	}
	fputc('"', out);
}

static void put_symbol(FILE *out, const char *text, bool mangled)
{
	char *demangled = mangled ? NULL : demangle_text(text);

	put_json_text(demangled ? demangled : text, out);
	memory_free(demangled);
}

static void put_value(const struct document *s, const struct document_value *v, bool mangled,
		      FILE *out)
{
	switch (v->kind) {
	case DOCUMENT_TEXT:
	case DOCUMENT_CODE:
		put_json_text(strings_text(s->strings, v->text), out);
		break;
	case DOCUMENT_SYMBOL:
		put_symbol(out, strings_text(s->strings, v->text), mangled);
		break;
	case DOCUMENT_NUMBER:
		fprintf(out, "%" PRIu64, v->number);
		break;
	case DOCUMENT_ADDRESS:
		fprintf(out, "\"0x%" PRIx64 "\"", v->number);
		break;
	case DOCUMENT_SHARE:
	case DOCUMENT_REAL:
		fprintf(out, "%.6g", v->share);
		break;
	default:
		fputs("null", out);
	}
}

void page_data_put_table(const struct document *s, const struct document_table *t, bool mangled,
			 FILE *out)
{
	fprintf(out, "<script type=\"application/json\" id=\"data-%s\">{\"columns\":[",
		t->what.key);
	for (size_t c = 0; c < t->column_count; c++)
		fprintf(out, "%s\"%s\"", c ? "," : "", t->columns[c].key);
	fputs("],\"rows\":[", out);
	for (size_t i = 0; i < t->values.count; i++) {
		size_t c = i % t->column_count;

		fputs(!i ? "[" : c ? "," : ",\n[", out);
		put_value(s, &t->values.items[i], mangled, out);
		if (c + 1 == t->column_count)
			fputc(']', out);
	}
	fputs("]}</script>\n", out);
}

/* ---- flame graphs -------------------------------------------------------------------------- */

#define SHARE_LEAST 4000
#define DEPTH_MOST  200

/* The next node in pre-order that is drawn, or CALL_TREE_NONE. Children are sorted by falling
 * total, so behind one that is too small all are. */
static size_t next_of(const struct call_tree *t, size_t node, unsigned *depth)
{
	const uint64_t least = t->nodes.items[CALL_TREE_TOP].total / SHARE_LEAST;
	size_t next = t->nodes.items[node].first_child;

	if (next != CALL_TREE_NONE && t->nodes.items[next].total > least && *depth < DEPTH_MOST) {
		++*depth;
		return next;
	}
	for (; node != CALL_TREE_TOP; node = t->nodes.items[node].parent, --*depth) {
		next = t->nodes.items[node].next_sibling;
		if (next != CALL_TREE_NONE && t->nodes.items[next].total > least)
			return next;
	}
	return CALL_TREE_NONE;
}

/* Number 0 is what is above all roots. */
static void put_names(const struct call_tree *t, FILE *out)
{
	const struct call_frame *frame;

	put_json_text("all", out);
	vector_each (&t->frames, frame) {
		fputs(",\n", out);
		put_json_text(strings_text(t->strings, frame->shown), out);
	}
}

static void put_frames(const struct call_tree *t, FILE *out)
{
	unsigned depth = 0;

	for (size_t i = CALL_TREE_TOP; i != CALL_TREE_NONE; i = next_of(t, i, &depth))
		fprintf(out, "%s%" PRIu32 ",%u,%" PRIu64 ",%" PRIu64, i ? ",\n" : "",
			i ? t->nodes.items[i].frame + 1 : 0, depth, t->nodes.items[i].total,
			t->nodes.items[i].self);
}

void page_flame_put(const struct call_tree *t, FILE *out)
{
	fputs("<script type=\"application/json\" id=\"data-flame\">{\"unit\":", out);
	put_json_text(t->unit, out);
	fputs(",\"names\":[", out);
	put_names(t, out);
	fputs("],\"frames\":[", out);
	put_frames(t, out);
	fputs("]}</script>\n", out);
	page_begin_section(out, PAGE_FLAME_ID, PAGE_FLAME_TITLE);
	fputs("<p class=\"note\">A frame's width is the number of ", out);
	page_put_text(out, t->unit);
	fputs(" in it and in what it calls; it is below its caller. Click one, or press Enter, "
	      "to see it at full width; the arrow keys go to its neighbours, Escape back.</p>\n"
	      "<noscript><p>The flame graph is drawn by JavaScript, which is switched off "
	      "here.</p></noscript>\n",
	      out);
	page_end_section(out);
}

/* ---- histograms ---------------------------------------------------------------------------- */

/* The size of a histogram and of its margins, in units of the drawing. It is narrow, so that phones
 * show it at about its size. */
enum { WIDTH = 460, HEIGHT = 210, LEFT = 52, RIGHT = 8, TOP = 18, BOTTOM = 40 };

/* The columns that a histogram is of. */
struct columns {
	size_t low, high, count, share, peak;
};

/* One histogram: consecutive rows that agree in what is before the column of lows. */
struct histogram {
	const struct document *document;
	const struct document_table *table;
	struct columns at;
	size_t first, end; /* rows */
};

static size_t column_of(const struct document_table *t, const char *key)
{
	size_t c = 0;

	while (c < t->column_count && strcmp(t->columns[c].key, key))
		c++;
	return c;
}

static const struct document_value *value_at(const struct histogram *h, size_t row, size_t column)
{
	return &h->table->values.items[row * h->table->column_count + column];
}

static uint64_t number_at(const struct histogram *h, size_t row, size_t column)
{
	const struct document_value *v = value_at(h, row, column);

	return v->kind == DOCUMENT_NUMBER ? v->number : 0;
}

static double share_at(const struct histogram *h, size_t row)
{
	return value_at(h, row, h->at.share)->share;
}

static bool is_same(const struct histogram *h, size_t a, size_t b)
{
	for (size_t c = 0; c < h->at.low; c++) {
		const struct document_value *x = value_at(h, a, c), *y = value_at(h, b, c);

		if (x->kind != y->kind || x->text != y->text || x->number != y->number)
			return false;
	}
	return true;
}

/* ---- what is said -------------------------------------------------------------------------- */

static const char *unit_of(const struct histogram *h)
{
	return h->table->columns[h->at.low].title;
}

static void put_histogram_names(const struct histogram *h, bool mangled, FILE *out)
{
	fputs("<h3>", out);
	for (size_t c = 0; c < h->at.low; c++) {
		const struct document_value *v = value_at(h, h->first, c);
		const char *text = strings_text(h->document->strings, v->text);

		if (c)
			fputs(" to ", out);
		if (v->kind == DOCUMENT_SYMBOL)
			page_put_name(out, text, mangled);
		else
			page_put_text(out, text);
	}
	fputs("</h3>\n", out);
}

static void put_bin(const struct histogram *h, size_t row, FILE *out)
{
	uint64_t low = number_at(h, row, h->at.low), high = number_at(h, row, h->at.high);

	page_put_count(out, low);
	if (high > low) {
		fputs(" to ", out);
		page_put_count(out, high);
	}
}

static size_t highest(const struct histogram *h)
{
	size_t best = h->first;

	for (size_t row = h->first; row < h->end; row++)
		if (share_at(h, row) > share_at(h, best))
			best = row;
	return best;
}

static void put_peaks(const struct histogram *h, uint64_t *low, uint64_t *high, FILE *out)
{
	size_t said = 0;

	for (size_t row = h->first; row < h->end; row++) {
		uint64_t peak = number_at(h, row, h->at.peak);

		if (!peak)
			continue;
		fputs(said ? " and " : "", out);
		page_put_count(out, peak);
		fprintf(out, " (%.0f %%)", 100 * share_at(h, row));
		*low = said ? *low : peak;
		*high = peak;
		said++;
	}
}

/* The sentence says what to see: one peak is one usual value; several are several ways to run. */
static void put_sentence(const struct histogram *h, FILE *out)
{
	uint64_t low = 0, high = 0, peaks = 0;
	size_t best = highest(h);

	for (size_t row = h->first; row < h->end; row++)
		peaks += number_at(h, row, h->at.peak) > 0;
	fputs("<figcaption class=\"note\">", out);
	if (peaks > 1) {
		fprintf(out, "%" PRIu64 " peaks, at ", peaks);
		put_peaks(h, &low, &high, out);
		fprintf(out, " %s: it runs in %" PRIu64 " ways, up to ", unit_of(h), peaks);
		page_put_count(out, high - low);
		fprintf(out, " %s apart.", unit_of(h));
	} else {
		fprintf(out, "%.0f %% are ", 100 * share_at(h, best));
		put_bin(h, best, out);
		fprintf(out, " %s%s", unit_of(h), peaks ? ", most often " : "");
		if (peaks)
			put_peaks(h, &low, &high, out);
		fputs(h->end - h->first > 1 ? "; one peak, and the rest is spread around it."
					    : ": always the same.",
		      out);
	}
	fputs("</figcaption>\n", out);
}

/* ---- what is drawn ------------------------------------------------------------------------- */

/* Logarithmic: a bin that doubles is as wide as the one before. */
static double histogram_x(const struct histogram *h, uint64_t value)
{
	double first = log2(fmax(1, (double)number_at(h, h->first, h->at.low)));
	double last = log2(fmax(1, (double)number_at(h, h->end - 1, h->at.high)) + 1);

	return LEFT + (log2(fmax(1, (double)value)) - first) / fmax(1, last - first) *
			      (WIDTH - LEFT - RIGHT);
}

/* The least of 5, 10, 25, 50, 100 % that all bars are below. */
static double top_share(const struct histogram *h)
{
	static const double tops[] = {0.05, 0.1, 0.25, 0.5, 1};
	double most = share_at(h, highest(h));
	size_t i = 0;

	while (i + 1 < sizeof(tops) / sizeof(*tops) && tops[i] < most)
		i++;
	return tops[i];
}

static double histogram_y(double share, double top)
{
	return HEIGHT - BOTTOM - share / top * (HEIGHT - TOP - BOTTOM);
}

static void put_histogram_axes(const struct histogram *h, double top, FILE *out)
{
	for (int i = 0; i <= 5; i++) {
		double y = histogram_y(top * i / 5, top);

		fprintf(out,
			"<path class=\"%s\" d=\"M%d,%.1fH%d\"/><text class=\"label\" x=\"%d\" y=\"%.1f\" "
			"text-anchor=\"end\">%g %%</text>\n",
			i ? "grid" : "axis", LEFT, y, WIDTH - RIGHT, LEFT - 6, y + 4,
			100 * top * i / 5);
	}
	fprintf(out, "<text class=\"label\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
		(WIDTH + LEFT) / 2, HEIGHT - 6, unit_of(h));
	fprintf(out, "<text class=\"label\" x=\"%d\" y=\"12\">share of all</text>\n", LEFT);
}

static void put_bar(const struct histogram *h, size_t row, double top, FILE *out)
{
	uint64_t low = number_at(h, row, h->at.low), high = number_at(h, row, h->at.high),
		 peak = number_at(h, row, h->at.peak);
	double left = histogram_x(h, low), right = histogram_x(h, high + 1),
	       y = histogram_y(share_at(h, row), top);

	fprintf(out,
		"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>",
		peak ? "peak" : "value", left + 1, y, fmax(1, right - left - 2),
		fmax(0.5, HEIGHT - BOTTOM - y));
	put_bin(h, row, out);
	fprintf(out, " %s: ", unit_of(h));
	page_put_count(out, number_at(h, row, h->at.count));
	fprintf(out, ", %.2f %%</title></rect>\n", 100 * share_at(h, row));
	if (peak)
		fprintf(out,
			"<text class=\"peak\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%" PRIu64
			"</text>\n",
			(left + right) / 2, y - 4, peak);
	fprintf(out,
		"<text class=\"label\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%" PRIu64
		"</text>\n",
		left, HEIGHT - BOTTOM + 16, low);
}

static void put_figure(const struct histogram *h, bool mangled, FILE *out)
{
	double top = top_share(h);

	fputs("<figure>\n", out);
	put_histogram_names(h, mangled, out);
	put_sentence(h, out);
	fprintf(out,
		"<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
		"aria-label=\"Histogram of %s; the table below has its figures\">\n",
		WIDTH, HEIGHT, WIDTH, HEIGHT, unit_of(h));
	put_histogram_axes(h, top, out);
	for (size_t row = h->first; row < h->end; row++)
		put_bar(h, row, top, out);
	fputs("</svg>\n</figure>\n", out);
}

void page_histogram_put(const struct document *s, const struct document_table *t, bool mangled,
			FILE *out)
{
	size_t rows = t->values.count / t->column_count;
	struct histogram h = {.document = s,
			      .table = t,
			      .at = {column_of(t, "low"), column_of(t, "high"),
				     column_of(t, "count"), column_of(t, "share"),
				     column_of(t, "peak")}};

	fputs("<div class=\"figures\">\n", out);
	for (; h.first < rows; h.first = h.end) {
		for (h.end = h.first + 1; h.end < rows && is_same(&h, h.first, h.end);)
			h.end++;
		put_figure(&h, mangled, out);
	}
	fputs("</div>\n", out);
}

/* ---- shares against each other ------------------------------------------------------------- */

/* In its own units, of which phones show about as many. SCATTER_DECADES: of shares, scatter_y
 * from 1. */
enum {
	SCATTER_SIDE = 340,
	SCATTER_LEFT = 66,
	SCATTER_RIGHT = 26,
	SCATTER_TOP = 12,
	SCATTER_BOTTOM = 46,
	SCATTER_DECADES = 6
};

/* From the left or the bottom; what is less lies on the axis. */
static double along(double share)
{
	double decades = share > 0 ? log10(share) + SCATTER_DECADES : 0;

	return fmax(0, decades) / SCATTER_DECADES * SCATTER_SIDE;
}

static double scatter_x(double share)
{
	return SCATTER_LEFT + along(share);
}

static double scatter_y(double share)
{
	return SCATTER_TOP + SCATTER_SIDE - along(share);
}

static void put_ticks(FILE *out)
{
	for (int decade = 0; decade <= SCATTER_DECADES; decade += 2) {
		double share = pow(10, decade - SCATTER_DECADES), x = scatter_x(share),
		       y = scatter_y(share);

		fprintf(out,
			"<path class=\"grid\" d=\"M%.1f,%dV%dM%d,%.1fH%d\"/>"
			"<text class=\"label\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g %%</text>"
			"<text class=\"label\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g %%</text>\n",
			x, SCATTER_TOP, SCATTER_TOP + SCATTER_SIDE, SCATTER_LEFT, y,
			SCATTER_LEFT + SCATTER_SIDE, x, SCATTER_TOP + SCATTER_SIDE + 17,
			100 * share, SCATTER_LEFT - 6, y + 4, 100 * share);
	}
}

static void put_axes(FILE *out)
{
	put_ticks(out);
	fprintf(out, "<path class=\"axis\" d=\"M%d,%dV%dH%d\"/>\n", SCATTER_LEFT, SCATTER_TOP,
		SCATTER_TOP + SCATTER_SIDE, SCATTER_LEFT + SCATTER_SIDE);
	fprintf(out, "<path class=\"axis\" stroke-dasharray=\"4\" d=\"M%d,%dL%d,%d\"/>\n",
		SCATTER_LEFT, SCATTER_TOP + SCATTER_SIDE, SCATTER_LEFT + SCATTER_SIDE, SCATTER_TOP);
	fprintf(out,
		"<text class=\"label\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">share in A</text>"
		"<text class=\"label\" x=\"12\" y=\"%d\" text-anchor=\"middle\" "
		"transform=\"rotate(-90 12 %d)\">share in B</text>\n",
		SCATTER_LEFT + SCATTER_SIDE / 2, SCATTER_TOP + SCATTER_SIDE + 38,
		SCATTER_TOP + SCATTER_SIDE / 2, SCATTER_TOP + SCATTER_SIDE / 2);
}

static void put_point(const struct page_point *p, bool mangled, FILE *out)
{
	char *demangled = mangled ? NULL : demangle_text(p->name);

	fprintf(out, "<circle class=\"point\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>",
		scatter_x(p->share[0]), scatter_y(p->share[1]));
	page_put_text(out, demangled ? demangled : p->name);
	if (p->from)
		fprintf(out, " %" PRIx64 " to %" PRIx64, p->from, p->to);
	fprintf(out, ": %.4f %%, %.4f %%</title></circle>\n", 100 * p->share[0], 100 * p->share[1]);
	memory_free(demangled);
}

void page_scatter_put(const struct page_point *points, size_t count, bool mangled, FILE *out)
{
	int width = SCATTER_LEFT + SCATTER_SIDE + SCATTER_RIGHT,
	    height = SCATTER_TOP + SCATTER_SIDE + SCATTER_BOTTOM;

	fprintf(out,
		"<figure>\n<figcaption class=\"note\">On the dashed diagonal both sides have the same "
		"share; above it B has more. A point on an axis has less than %g %% of that side, or "
		"nothing. Point at one for its name.</figcaption>\n",
		100 * pow(10, -SCATTER_DECADES));
	fprintf(out,
		"<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
		"aria-label=\"Shares in A against shares in B, logarithmic\">\n",
		width, height, width, height);
	put_axes(out);
	for (size_t i = 0; i < count; i++)
		put_point(&points[i], mangled, out);
	fputs("</svg>\n</figure>\n", out);
}
