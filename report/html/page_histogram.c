/* SPDX-License-Identifier: MIT */
#include "report/html/page_histogram.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/html/page.h"

/* Of a drawing, in its own units. Narrow: phones show it at about its size. */
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

static void put_names(const struct histogram *h, bool mangled, FILE *out)
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

/* What to see: one peak is one usual value; several are several ways to run. */
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
static double across(const struct histogram *h, uint64_t value)
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

static double down(double share, double top)
{
	return HEIGHT - BOTTOM - share / top * (HEIGHT - TOP - BOTTOM);
}

static void put_axes(const struct histogram *h, double top, FILE *out)
{
	for (int i = 0; i <= 5; i++) {
		double y = down(top * i / 5, top);

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
	double left = across(h, low), right = across(h, high + 1), y = down(share_at(h, row), top);

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
	put_names(h, mangled, out);
	put_sentence(h, out);
	fprintf(out,
		"<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
		"aria-label=\"Histogram of %s; the table below has its figures\">\n",
		WIDTH, HEIGHT, WIDTH, HEIGHT, unit_of(h));
	put_axes(h, top, out);
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
