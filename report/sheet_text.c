/* SPDX-License-Identifier: MIT */
/* A sheet as text: facts one per line, tables in columns that are as wide as their contents. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/sheet.h"

/* Titles of facts are padded to this, or to the longest. */
#define FACT_TITLE_BYTES 20

static void put_text(FILE *stream, const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, stream);
}

/* A value but for text, which may be long. */
static const char *format(const struct sheet_value *v, char *room, size_t size)
{
	switch (v->kind) {
	case SHEET_NUMBER:
		snprintf(room, size, "%" PRIu64, v->number);
		break;
	case SHEET_ADDRESS:
		snprintf(room, size, "0x%" PRIx64, v->number);
		break;
	case SHEET_SHARE:
		snprintf(room, size, "%.2f %%", 100 * v->share);
		break;
	default:
		return "";
	}
	return room;
}

static const char *text_of(const struct sheet *s, const struct sheet_value *v, char *room,
			   size_t size)
{
	return v->kind == SHEET_TEXT ? strings_text(s->strings, v->text) : format(v, room, size);
}

static void write_facts(const struct sheet *s, FILE *stream)
{
	const struct sheet_fact *f;
	size_t width = FACT_TITLE_BYTES;
	char room[40];

	vector_each (&s->facts, f) {
		size_t length = strlen(f->what.title);

		width = length > width ? length : width;
	}
	vector_each (&s->facts, f) {
		fprintf(stream, "%-*s ", (int)width, f->what.title);
		put_text(stream, text_of(s, &f->value, room, sizeof(room)));
		fputc('\n', stream);
	}
}

/* The width of each column; whether it is of text, which goes to the left. */
static void measure(const struct sheet *s, const struct sheet_table *t, size_t *widths, bool *left)
{
	char room[40];

	for (size_t c = 0; c < t->column_count; c++) {
		widths[c] = strlen(t->columns[c].title);
		left[c] = false;
	}
	for (size_t i = 0; i < t->values.count; i++) {
		size_t c = i % t->column_count;
		size_t length = strlen(text_of(s, &t->values.items[i], room, sizeof(room)));

		widths[c] = length > widths[c] ? length : widths[c];
		left[c] |= t->values.items[i].kind == SHEET_TEXT;
	}
}

static void pad(FILE *stream, size_t count)
{
	fprintf(stream, "%*s", (int)(count < 4096 ? count : 4096), "");
}

static void write_cell(FILE *stream, const char *text, size_t width, bool left, bool last)
{
	size_t length = strlen(text);

	fputs("  ", stream);
	if (!left)
		pad(stream, width - length);
	put_text(stream, text);
	if (left && !last)
		pad(stream, width - length);
	if (last)
		fputc('\n', stream);
}

static int write_table(const struct sheet *s, const struct sheet_table *t, FILE *stream)
{
	size_t rows = t->values.count / t->column_count;
	size_t *widths = memory_alloc_array(t->column_count, sizeof(*widths));
	bool *left = memory_alloc_array(t->column_count, sizeof(*left));
	char room[40];

	if (!widths || !left) {
		memory_free(widths);
		memory_free(left);
		return -1;
	}
	measure(s, t, widths, left);
	fprintf(stream, "\n%s", t->what.title);
	if (rows < t->rows_in_all)
		fprintf(stream, " (the first %zu of %zu)", rows, t->rows_in_all);
	fputs(":\n", stream);
	for (size_t c = 0; c < t->column_count; c++)
		write_cell(stream, t->columns[c].title, widths[c], left[c],
			   c + 1 == t->column_count);
	for (size_t i = 0; i < t->values.count; i++) {
		size_t c = i % t->column_count;

		write_cell(stream, text_of(s, &t->values.items[i], room, sizeof(room)), widths[c],
			   left[c], c + 1 == t->column_count);
	}
	memory_free(widths);
	memory_free(left);
	return 0;
}

int sheet_write_text(const struct sheet *s, FILE *stream, struct softlbr_error *e)
{
	const struct sheet_table *t;

	if (s->failed)
		return error_set_nomem(e);
	write_facts(s, stream);
	vector_each (&s->tables, t) {
		if (t->values.count && write_table(s, t, stream))
			return error_set_nomem(e);
	}
	return 0;
}
