/* SPDX-License-Identifier: MIT */
/* A document as text, CSV and JSON. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/printable.h"
#include "report/demangle.h"
#include "report/document.h"

/* ---- text ---------------------------------------------------------------------------------- */

/* Titles of facts are padded to this, or to the longest. */
#define FACT_TITLE_BYTES 20
/* ... unless that is longer than this: figures come first then, in this width. */
#define FACT_TITLE_BYTES_MOST 40
#define FIGURE_BYTES	      12

const char *document_value_format(const struct document_value *v, char *room, size_t size)
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
					 : document_value_format(v, room, size);
}

static bool is_figure(const struct document_fact *f)
{
	return f->value.kind == DOCUMENT_NUMBER || f->value.kind == DOCUMENT_SHARE ||
	       f->value.kind == DOCUMENT_REAL || f->value.kind == DOCUMENT_NONE;
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
		printable_put(stream, text);
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

/* As wide as their contents. */
static void measure_columns(struct layout *l)
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
static void fit_columns(struct layout *l, size_t columns)
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
	measure_columns(l);
	fit_columns(l, style->columns);
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
	printable_put(stream, text);
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
	for (size_t i = 0; l.demangled && i < l.table->values.count; i++)
		memory_free(l.demangled[i]);
	memory_free(l.demangled);
	memory_free(l.widths);
	memory_free(l.left);
	memory_free(l.symbols);
	return rc;
}

int document_write_text(const struct document *s, const struct document_style *style, FILE *stream,
			struct softlbr_error *e)
{
	const struct document_table *t;

	if (s->failed)
		return error_set_nomem(e);
	if (s->lead) {
		printable_put(stream, s->lead);
		fputs("\n\n", stream);
	}
	write_facts(s, stream);
	vector_each (&s->tables, t) {
		if (t->values.count && write_table(s, t, style, stream))
			return error_set_nomem(e);
	}
	return 0;
}

/*
 * A document as CSV (RFC 4180): a table after the other, an empty line between them, each with a
 * line of its columns' names. Every line begins with the table's name, so that grep finds the lines
 * of one. Facts are a table of keys and values.
 */

static void put_field(FILE *stream, const char *text)
{
	const char *quote;

	if (!text[strcspn(text, ",\"\r\n")]) {
		printable_put(stream, text);
		return;
	}
	fputc('"', stream);
	for (; (quote = strchr(text, '"')); text = quote + 1) {
		printable_put_bytes(stream, text, (size_t)(quote - text));
		fputs("\"\"", stream);
	}
	printable_put(stream, text);
	fputc('"', stream);
}

static void put_symbol_field(FILE *stream, const char *text, bool mangled)
{
	char *demangled = mangled ? NULL : demangle_text(text);

	put_field(stream, demangled ? demangled : text);
	memory_free(demangled);
}

static void put_value_field(const struct document *s, FILE *stream, const struct document_value *v,
			    bool mangled)
{
	switch (v->kind) {
	case DOCUMENT_TEXT:
	case DOCUMENT_CODE:
		put_field(stream, strings_text(s->strings, v->text));
		break;
	case DOCUMENT_SYMBOL:
		put_symbol_field(stream, strings_text(s->strings, v->text), mangled);
		break;
	case DOCUMENT_NUMBER:
		fprintf(stream, "%" PRIu64, v->number);
		break;
	case DOCUMENT_ADDRESS:
		fprintf(stream, "0x%" PRIx64, v->number);
		break;
	case DOCUMENT_SHARE:
	case DOCUMENT_REAL:
	case DOCUMENT_POINTS:
		fprintf(stream, "%.6g", v->share);
		break;
	default: /* an empty field */
		break;
	}
}

static void write_csv_table(const struct document *s, const struct document_table *t, bool mangled,
			    FILE *stream)
{
	fputs("\r\ntable", stream);
	for (size_t c = 0; c < t->column_count; c++)
		fprintf(stream, ",%s", t->columns[c].key);
	for (size_t i = 0; i < t->values.count; i++) {
		if (i % t->column_count == 0)
			fprintf(stream, "\r\n%s", t->what.key);
		fputc(',', stream);
		put_value_field(s, stream, &t->values.items[i], mangled);
	}
	fputs("\r\n", stream);
}

int document_write_csv(const struct document *s, const struct document_style *style, FILE *stream,
		       struct softlbr_error *e)
{
	const struct document_table *t;
	const struct document_fact *f;

	if (s->failed)
		return error_set_nomem(e);
	fputs("table,key,value\r\n", stream);
	if (s->lead) {
		fputs("facts,in_short,", stream);
		put_field(stream, s->lead);
		fputs("\r\n", stream);
	}
	vector_each (&s->facts, f) {
		fprintf(stream, "facts,%s,", f->what.key);
		put_value_field(s, stream, &f->value, style->mangled);
		fputs("\r\n", stream);
	}
	vector_each (&s->tables, t)
		write_csv_table(s, t, style->mangled, stream);
	return 0;
}

/* A document as JSON: facts are members, tables are arrays of objects. */

static void add_value(const struct document *s, struct json_node *to, const char *key,
		      const struct document_value *v)
{
	char address[20];

	switch (v->kind) {
	case DOCUMENT_TEXT:
	case DOCUMENT_CODE:
	case DOCUMENT_SYMBOL:
		json_node_add_text(to, key, strings_text(s->strings, v->text));
		break;
	case DOCUMENT_NUMBER:
		if (v->number <= INT64_MAX)
			json_node_add_integer(to, key, (int64_t)v->number);
		else
			json_node_add_real(to, key, (double)v->number);
		break;
	case DOCUMENT_ADDRESS:
		snprintf(address, sizeof(address), "0x%" PRIx64, v->number);
		json_node_add_text(to, key, address);
		break;
	case DOCUMENT_SHARE:
	case DOCUMENT_REAL:
	case DOCUMENT_POINTS:
		json_node_add_real(to, key, v->share);
		break;
	default:
		json_node_add_null(to, key);
	}
}

static void add_demangled(const struct document *s, struct json_node *to, const char *key,
			  const struct document_value *v)
{
	char *text = demangle_text(strings_text(s->strings, v->text)), name[64];

	snprintf(name, sizeof(name), "%s_demangled", key);
	if (text)
		json_node_add_text(to, name, text);
	memory_free(text);
}

static struct json_node *table_node(const struct document *s, const struct document_table *t,
				    bool mangled)
{
	struct json_node *node = json_node_object(), *rows = json_node_array(), *row = NULL;

	json_node_add_integer(node, "rows_in_all", (int64_t)t->rows_in_all);
	for (size_t i = 0; i < t->values.count; i++) {
		size_t c = i % t->column_count;

		if (!c)
			row = json_node_object();
		add_value(s, row, t->columns[c].key, &t->values.items[i]);
		if (!mangled && t->values.items[i].kind == DOCUMENT_SYMBOL)
			add_demangled(s, row, t->columns[c].key, &t->values.items[i]);
		if (c + 1 == t->column_count)
			json_node_add_take(rows, NULL, row);
	}
	json_node_add_take(node, "rows", rows);
	return node;
}

int document_write_json(const struct document *s, const struct document_style *style, FILE *stream,
			struct softlbr_error *e)
{
	struct json_node *root = json_node_document();
	const struct document_table *t;
	const struct document_fact *f;
	int rc;

	if (s->lead)
		json_node_add_text(root, "in_short", s->lead);
	vector_each (&s->facts, f)
		add_value(s, root, f->what.key, &f->value);
	vector_each (&s->tables, t)
		json_node_add_take(root, t->what.key, table_node(s, t, style->mangled));
	rc = s->failed ? error_set_nomem(e) : json_node_write(root, stream, e);
	json_node_free(root);
	return rc;
}
