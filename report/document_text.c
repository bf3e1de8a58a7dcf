/* SPDX-License-Identifier: MIT */
/* A document as text: facts one per line, tables in columns that are as wide as their contents. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/demangle.h"
#include "report/document.h"

/* Titles of facts are padded to this, or to the longest. */
#define FACT_TITLE_BYTES 20
/* ... unless that is longer than this: figures come first then, in this width. */
#define FACT_TITLE_BYTES_MOST 40
#define FIGURE_BYTES	      12

static void put_text(FILE *stream, const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, stream);
}

/* A value but for text, which may be long. */
static const char *format(const struct document_value *v, char *room, size_t size)
{
	switch (v->kind) {
	case DOCUMENT_NUMBER:
		snprintf(room, size, "%" PRIu64, v->number);
		break;
	case DOCUMENT_ADDRESS:
		snprintf(room, size, "0x%" PRIx64, v->number);
		break;
	case DOCUMENT_SHARE:
		snprintf(room, size, "%.2f %%", 100 * v->share);
		break;
	case DOCUMENT_POINTS:
		snprintf(room, size, "%+.2f %%", 100 * v->share);
		break;
	case DOCUMENT_REAL:
		snprintf(room, size, "%.2f", v->share);
		break;
	default:
		return "-";
	}
	return room;
}

static const char *text_of(const struct document *s, const struct document_value *v, char *room,
			   size_t size)
{
	return document_value_is_text(v) ? strings_text(s->strings, v->text)
					 : format(v, room, size);
}

static bool is_figure(const struct document_fact *f)
{
	return f->value.kind == DOCUMENT_NUMBER || f->value.kind == DOCUMENT_SHARE ||
	       f->value.kind == DOCUMENT_NONE;
}

/* Long titles stand behind their figures, so that the eye finds both. */
static void write_facts(const struct document *s, FILE *stream)
{
	const struct document_fact *f;
	size_t width = FACT_TITLE_BYTES;
	bool figures_first = false;
	char room[40];

	vector_each (&s->facts, f) {
		size_t length = strlen(f->what.title);

		if (is_figure(f) && length > FACT_TITLE_BYTES_MOST)
			figures_first = true;
		else
			width = length > width ? length : width;
	}
	vector_each (&s->facts, f) {
		const char *text = text_of(s, &f->value, room, sizeof(room));

		if (figures_first && is_figure(f)) {
			fprintf(stream, "%*s  %s\n", FIGURE_BYTES, text, f->what.title);
			continue;
		}
		fprintf(stream, "%-*s ", (int)width, f->what.title);
		put_text(stream, text);
		fputc('\n', stream);
	}
}

/* ---- tables -------------------------------------------------------------------------------- */

/* A symbol has at least so many columns, however wide the table. */
#define SYMBOL_BYTES_LEAST 20

/* A table as it is written. */
struct layout {
	const struct document *document;
	const struct document_table *table;
	size_t *widths;	  /* of the columns */
	bool *left;	  /* columns of text, which goes to the left */
	bool *symbols;	  /* columns of symbols, which may be shortened */
	char **demangled; /* values that are */
};

static const char *cell(const struct layout *l, size_t i, char *room, size_t size)
{
	if (l->demangled[i])
		return l->demangled[i];
	return text_of(l->document, &l->table->values.items[i], room, size);
}

static void layout_deinit(struct layout *l)
{
	for (size_t i = 0; l->demangled && i < l->table->values.count; i++)
		memory_free(l->demangled[i]);
	memory_free(l->demangled);
	memory_free(l->widths);
	memory_free(l->left);
	memory_free(l->symbols);
}

/* As wide as their contents. */
static void measure(struct layout *l)
{
	const struct document_table *t = l->table;
	char room[40];

	for (size_t c = 0; c < t->column_count; c++)
		l->widths[c] = strlen(t->columns[c].title);
	for (size_t i = 0; i < t->values.count; i++) {
		size_t c = i % t->column_count, length = strlen(cell(l, i, room, sizeof(room)));
		uint8_t kind = t->values.items[i].kind;

		l->widths[c] = length > l->widths[c] ? length : l->widths[c];
		l->symbols[c] |= kind == DOCUMENT_SYMBOL;
		l->left[c] |= document_value_is_text(&t->values.items[i]);
	}
}

/* The widest columns of symbols give way first. */
static void fit(struct layout *l, size_t columns)
{
	size_t whole = 0, widest;

	for (size_t c = 0; c < l->table->column_count; c++)
		whole += 2 + l->widths[c];
	for (; whole > columns; whole--) {
		widest = l->table->column_count;
		for (size_t c = 0; c < l->table->column_count; c++)
			if (l->symbols[c] && l->widths[c] > SYMBOL_BYTES_LEAST &&
			    (widest == l->table->column_count || l->widths[c] > l->widths[widest]))
				widest = c;
		if (widest == l->table->column_count)
			return;
		l->widths[widest]--;
	}
}

static int layout_init(struct layout *l, const struct document *s, const struct document_table *t,
		       const struct document_style *style)
{
	*l = (struct layout){s,
			     t,
			     memory_alloc_array(t->column_count, sizeof(*l->widths)),
			     memory_alloc_array(t->column_count, sizeof(*l->left)),
			     memory_alloc_array(t->column_count, sizeof(*l->symbols)),
			     memory_alloc_array(t->values.count, sizeof(*l->demangled))};
	if (!l->widths || !l->left || !l->symbols || !l->demangled)
		return -1;
	for (size_t i = 0; !style->mangled && i < t->values.count; i++)
		if (t->values.items[i].kind == DOCUMENT_SYMBOL)
			l->demangled[i] = demangle_text(
				strings_text(s->strings, t->values.items[i].text));
	measure(l);
	fit(l, style->columns);
	return 0;
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

static int write_rows(const struct layout *l, FILE *stream)
{
	const struct document_table *t = l->table;
	size_t widest = 0;
	char number[40], *room;

	for (size_t c = 0; c < t->column_count; c++)
		widest = l->widths[c] > widest ? l->widths[c] : widest;
	room = memory_alloc(widest + 1);
	if (!room)
		return -1;
	for (size_t i = 0; i < t->values.count; i++) {
		size_t c = i % t->column_count;
		const char *text = cell(l, i, number, sizeof(number));

		write_cell(stream, demangle_shorten(text, l->widths[c], room), l->widths[c],
			   l->left[c], c + 1 == t->column_count);
	}
	memory_free(room);
	return 0;
}

static int write_table(const struct document *s, const struct document_table *t,
		       const struct document_style *style, FILE *stream)
{
	size_t rows = t->values.count / t->column_count;
	struct layout l;
	int rc = layout_init(&l, s, t, style);

	if (!rc) {
		fprintf(stream, "\n%s", t->what.title);
		if (rows < t->rows_in_all)
			fprintf(stream, " (the first %zu of %zu)", rows, t->rows_in_all);
		fputs(":\n", stream);
		for (size_t c = 0; c < t->column_count; c++)
			write_cell(stream, t->columns[c].title, l.widths[c], l.left[c],
				   c + 1 == t->column_count);
		rc = write_rows(&l, stream);
	}
	layout_deinit(&l);
	return rc;
}

int document_write_text(const struct document *s, const struct document_style *style, FILE *stream,
			struct softlbr_error *e)
{
	const struct document_table *t;

	if (s->failed)
		return error_set_nomem(e);
	write_facts(s, stream);
	vector_each (&s->tables, t) {
		if (t->values.count && write_table(s, t, style, stream))
			return error_set_nomem(e);
	}
	return 0;
}
