/* SPDX-License-Identifier: MIT */
#include "report/html/page_data.h"

#include <inttypes.h>

#include "base/memory.h"
#include "report/demangle.h"

/* As JSON has it; no < ends the element, and no foreign byte the text. */
void page_data_put_text(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte < ' ' || byte == '<' || byte == '"' || byte == '\\' || byte == 0x7f)
			fprintf(out, "\\u%04x", byte);
		else
			fputc(byte, out);
	}
	fputc('"', out);
}

static void put_symbol(FILE *out, const char *text, bool mangled)
{
	char *demangled = mangled ? NULL : demangle_text(text);

	page_data_put_text(demangled ? demangled : text, out);
	memory_free(demangled);
}

static void put_value(const struct document *s, const struct document_value *v, bool mangled,
		      FILE *out)
{
	switch (v->kind) {
	case DOCUMENT_TEXT:
	case DOCUMENT_CODE:
		page_data_put_text(strings_text(s->strings, v->text), out);
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
