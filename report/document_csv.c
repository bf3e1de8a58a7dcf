/* SPDX-License-Identifier: MIT */
/*
 * A document as CSV (RFC 4180): a table after the other, an empty line between them, each with a
 * line of its columns' names. Every line begins with the table's name, so that grep finds the lines
 * of one. Facts are a table of keys and values.
 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/demangle.h"
#include "report/document.h"

static void put_text(FILE *stream, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, stream);
		return;
	}
	fputc('"', stream);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', stream);
		fputc(*text, stream);
	}
	fputc('"', stream);
}

static void put_symbol(FILE *stream, const char *text, bool mangled)
{
	char *demangled = mangled ? NULL : demangle_text(text);

	put_text(stream, demangled ? demangled : text);
	memory_free(demangled);
}

static void put_value(const struct document *s, FILE *stream, const struct document_value *v,
		      bool mangled)
{
	switch (v->kind) {
	case DOCUMENT_TEXT:
	case DOCUMENT_CODE:
		put_text(stream, strings_text(s->strings, v->text));
		break;
	case DOCUMENT_SYMBOL:
		put_symbol(stream, strings_text(s->strings, v->text), mangled);
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

static void write_table(const struct document *s, const struct document_table *t, bool mangled,
			FILE *stream)
{
	fputs("\r\ntable", stream);
	for (size_t c = 0; c < t->column_count; c++)
		fprintf(stream, ",%s", t->columns[c].key);
	for (size_t i = 0; i < t->values.count; i++) {
		if (i % t->column_count == 0)
			fprintf(stream, "\r\n%s", t->what.key);
		fputc(',', stream);
		put_value(s, stream, &t->values.items[i], mangled);
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
	vector_each (&s->facts, f) {
		fprintf(stream, "facts,%s,", f->what.key);
		put_value(s, stream, &f->value, style->mangled);
		fputs("\r\n", stream);
	}
	vector_each (&s->tables, t)
		write_table(s, t, style->mangled, stream);
	return 0;
}
