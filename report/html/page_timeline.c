/* SPDX-License-Identifier: MIT */
/* A table of equal parts of the time, drawn: a bar for each, as high as CPUs were busy, in the
 * colour of the function that took most of it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "report/demangle.h"
#include "report/html/page.h"

/* In units of the drawing. */
enum {
	TIMELINE_WIDTH = 720,
	TIMELINE_HEIGHT = 150,
	TIMELINE_LEFT = 44,
	TIMELINE_TOP = 12,
	TIMELINE_BOTTOM = 30
};
/* So many functions have a colour of their own. */
#define COLORS 5u

struct timeline {
	const struct document *document;
	const struct document_table *table;
	size_t low, high, busy, share, function; /* columns */
	size_t rows;
	uint32_t functions[COLORS]; /* in the order of their first part */
	size_t function_count;
	double most;
	bool of_busy; /* bars are of CPUs, else of shares */
};

static size_t column_of(const struct document_table *t, const char *key)
{
	size_t c = 0;

	while (c < t->column_count && strcmp(t->columns[c].key, key))
		c++;
	return c;
}

static const struct document_value *value_at(const struct timeline *t, size_t row, size_t column)
{
	return &t->table->values.items[row * t->table->column_count + column];
}

static double height_of(const struct timeline *t, size_t row)
{
	const struct document_value *v = value_at(t, row, t->of_busy ? t->busy : t->share);

	return v->kind == DOCUMENT_NONE ? 0 : v->share;
}

/* The number of the row's colour; COLORS: that of all others. */
static size_t color_of(const struct timeline *t, size_t row)
{
	const struct document_value *v = value_at(t, row, t->function);
	size_t i = 0;

	while (i < t->function_count && (v->kind != DOCUMENT_SYMBOL || t->functions[i] != v->text))
		i++;
	return i < t->function_count ? i : COLORS;
}

static bool timeline_read(struct timeline *t, const struct document *s,
			  const struct document_table *table)
{
	*t = (struct timeline){.document = s,
			       .table = table,
			       .low = column_of(table, "low"),
			       .high = column_of(table, "high"),
			       .busy = column_of(table, "busy"),
			       .share = column_of(table, "share"),
			       .function = column_of(table, "function"),
			       .rows = table->values.count / table->column_count};
	for (size_t row = 0; row < t->rows; row++)
		t->of_busy |= value_at(t, row, t->busy)->kind != DOCUMENT_NONE;
	for (size_t row = 0; row < t->rows; row++) {
		const struct document_value *v = value_at(t, row, t->function);

		t->most = fmax(t->most, height_of(t, row));
		if (v->kind == DOCUMENT_SYMBOL && color_of(t, row) == COLORS &&
		    t->function_count < COLORS)
			t->functions[t->function_count++] = v->text;
	}
	return t->rows && t->most > 0;
}

static void put_shown_name(const struct timeline *t, uint32_t name, bool mangled, FILE *out)
{
	const char *text = strings_text(t->document->strings, name);
	char *demangled = mangled ? NULL : demangle_text(text);

	page_put_text(out, demangled ? demangled : text);
	memory_free(demangled);
}

static void put_bar(const struct timeline *t, size_t row, bool mangled, FILE *out)
{
	const double width = (double)(TIMELINE_WIDTH - TIMELINE_LEFT) / (double)t->rows;
	const int room = TIMELINE_HEIGHT - TIMELINE_TOP - TIMELINE_BOTTOM;
	const double height = room * height_of(t, row) / t->most;
	const struct document_value *name = value_at(t, row, t->function);

	fprintf(out,
		"<rect class=\"color-%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>",
		color_of(t, row), TIMELINE_LEFT + (double)row * width, TIMELINE_TOP + room - height,
		fmax(width - 1, 1), height);
	fprintf(out, "%" PRIu64 " to %" PRIu64 " ms: ", value_at(t, row, t->low)->number,
		value_at(t, row, t->high)->number);
	if (name->kind == DOCUMENT_SYMBOL)
		put_shown_name(t, name->text, mangled, out);
	fprintf(out, t->of_busy ? ", %.2f CPUs busy" : ", %.3g of all samples", height_of(t, row));
	fputs("</title></rect>\n", out);
}

static void put_axes(const struct timeline *t, FILE *out)
{
	const int bottom = TIMELINE_HEIGHT - TIMELINE_BOTTOM;

	fprintf(out,
		"<path class=\"axis\" d=\"M%d,%dV%dH%d\"/>\n"
		"<text class=\"label\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%.3g%s</text>\n"
		"<text class=\"label\" x=\"%d\" y=\"%d\">0 s</text>\n"
		"<text class=\"label\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%.3g s</text>\n",
		TIMELINE_LEFT, TIMELINE_TOP, bottom, TIMELINE_WIDTH, TIMELINE_LEFT - 5,
		TIMELINE_TOP + 9, t->of_busy ? t->most : 100 * t->most, t->of_busy ? "" : " %",
		TIMELINE_LEFT, bottom + 17, TIMELINE_WIDTH, bottom + 17,
		(double)value_at(t, t->rows - 1, t->high)->number / 1e3);
}

static void put_legend(const struct timeline *t, bool mangled, FILE *out)
{
	bool others = false;

	for (size_t row = 0; row < t->rows; row++)
		others |= color_of(t, row) == COLORS &&
			  value_at(t, row, t->function)->kind == DOCUMENT_SYMBOL;
	fputs("<p class=\"note legends\">", out);
	for (size_t i = 0; i < t->function_count; i++) {
		fprintf(out, "<span><span class=\"legend color-%zu\"></span>", i);
		page_put_name(out, strings_text(t->document->strings, t->functions[i]), mangled);
		fputs("</span>\n", out);
	}
	if (others)
		fprintf(out, "<span><span class=\"legend color-%u\"></span>others</span>\n",
			COLORS);
	fputs("</p>\n", out);
}

void page_timeline_put(const struct document *s, const struct document_table *table, bool mangled,
		       FILE *out)
{
	struct timeline t;

	if (!timeline_read(&t, s, table))
		return;
	fprintf(out,
		"<figure>\n<figcaption class=\"note\">Each bar is a part of the recording: its height "
		"is %s, its colour the function that took most of it.</figcaption>\n"
		"<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
		"aria-label=\"%s over time\">\n",
		t.of_busy ? "how many CPUs were busy" : "its share of all samples", TIMELINE_WIDTH,
		TIMELINE_HEIGHT, TIMELINE_WIDTH, TIMELINE_HEIGHT,
		t.of_busy ? "CPUs busy" : "Samples");
	for (size_t row = 0; row < t.rows; row++)
		put_bar(&t, row, mangled, out);
	put_axes(&t, out);
	fputs("</svg>\n", out);
	put_legend(&t, mangled, out);
	fputs("</figure>\n", out);
}
