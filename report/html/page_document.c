/* SPDX-License-Identifier: MIT */
/* A document as a page: its facts, and a section for each table, with its drawings. */
#include "report/html/page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Texts of at most so many bytes do not wrap: places in functions. What draws loops is narrower
 * than code. */
enum { NARROW_BYTES = 24, NARROW_CODE_BYTES = 16 };

/* Properties of a column, as bits; its values may be of several kinds. */
enum { COLUMN_IS_TEXT = 1, COLUMN_IS_WIDE = 2, COLUMN_HAS_DATA = 4, COLUMN_IS_BOUND = 8 };

static void put_value(const struct document *s, const struct document_value *v, bool mangled,
		      FILE *out)
{
	char room[40];

	if (v->kind == DOCUMENT_SYMBOL)
		page_put_name(out, strings_text(s->strings, v->text), mangled);
	else if (document_value_is_text(v))
		page_put_text(out, strings_text(s->strings, v->text));
	else if (v->kind == DOCUMENT_NUMBER)
		page_put_count(out, v->number);
	else
		fputs(document_value_format(v, room, sizeof(room)), out);
}

/* Before the value: what the style and the script know it by. Numbers are whole in data-v. */
static void begin_cell(const struct document_value *v, uint8_t column, FILE *out)
{
	switch (v->kind) {
	case DOCUMENT_TEXT:
	case DOCUMENT_SYMBOL:
	case DOCUMENT_CODE:
		fprintf(out, "<td class=\"t%s%s\">", v->kind == DOCUMENT_CODE ? " code" : "",
			column & COLUMN_IS_WIDE ? "" : " short");
		break;
	case DOCUMENT_NUMBER:
	case DOCUMENT_ADDRESS:
		fprintf(out, "<td data-v=\"%" PRIu64 "\">", v->number);
		break;
	case DOCUMENT_SHARE:
		fprintf(out, "<td%s data-v=\"%.6g\">",
			column & COLUMN_IS_BOUND ? "" : " class=\"share\"", v->share);
		break;
	case DOCUMENT_REAL:
	case DOCUMENT_POINTS:
		fprintf(out, "<td data-v=\"%.6g\">", v->share);
		break;
	default:
		fprintf(out, "<td class=\"none%s\">", column & COLUMN_IS_TEXT ? " t" : "");
	}
}

/* A fact without a title explains the one before. What is not known is left out, and so is why. */
void page_document_put_facts(const struct document *s, const struct document_style *style,
			     FILE *out)
{
	const struct document_fact *f;
	bool known = true;

	if (!s->facts.count)
		return;
	fputs("<dl>\n", out);
	vector_each (&s->facts, f) {
		known = *f->what.title ? f->value.kind != DOCUMENT_NONE : known;
		if (!known)
			continue;
		fputs("<dt>", out);
		page_put_text(out, *f->what.title ? f->what.title : "note");
		fprintf(out, "</dt><dd data-key=\"%s\"%s>", f->what.key,
			document_value_is_text(&f->value) ? "" : " class=\"figure\"");
		put_value(s, &f->value, style->mangled, out);
		fputs("</dd>\n", out);
	}
	fputs("</dl>\n", out);
}

static void look_at_columns(const struct document *s, const struct document_table *t,
			    uint8_t *columns)
{
	for (size_t c = 0; c < t->column_count; c++)
		if (!strcmp(t->columns[c].key, "low") || !strcmp(t->columns[c].key, "high"))
			columns[c] |= COLUMN_IS_BOUND;
	for (size_t i = 0; i < t->values.count; i++) {
		const struct document_value *v = &t->values.items[i];
		uint8_t *column = &columns[i % t->column_count];

		*column |= v->kind == DOCUMENT_NONE ? 0 : COLUMN_HAS_DATA;
		if (!document_value_is_text(v))
			continue;
		*column |= COLUMN_IS_TEXT;
		if (strlen(strings_text(s->strings, v->text)) >
		    (v->kind == DOCUMENT_CODE ? NARROW_CODE_BYTES : NARROW_BYTES))
			*column |= COLUMN_IS_WIDE;
	}
}

static const char *heading_class(uint8_t column)
{
	if (!(column & COLUMN_IS_TEXT))
		return "";
	return column & COLUMN_IS_WIDE ? " class=\"t\"" : " class=\"t short\"";
}

static void put_headings(const struct document_table *t, const uint8_t *columns, FILE *out)
{
	fputs("<thead><tr>", out);
	for (size_t c = 0; c < t->column_count; c++) {
		if (!(columns[c] & COLUMN_HAS_DATA))
			continue;
		fprintf(out, "<th scope=\"col\"%s data-key=\"%s\">", heading_class(columns[c]),
			t->columns[c].key);
		page_put_text(out, t->columns[c].title);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n", out);
}

/* What the first column of a row of code is of the most in it, from 0 to 1. Small counts are seen,
 * too. */
static double heat_of(const struct document_table *t, size_t first)
{
	double most = 1, count = t->values.items[first].kind == DOCUMENT_NUMBER
					 ? (double)t->values.items[first].number
					 : 0;

	for (size_t i = 0; i < t->values.count; i += t->column_count)
		if (t->values.items[i].kind == DOCUMENT_NUMBER)
			most = fmax(most, (double)t->values.items[i].number);
	return sqrt(count / most);
}

/* Columns without any value are left out. */
static void put_rows(const struct document *s, const struct document_table *t,
		     const uint8_t *columns, bool mangled, FILE *out)
{
	put_headings(t, columns, out);
	fputs("<tbody>", out);
	for (size_t i = 0; i < t->values.count; i++) {
		size_t c = i % t->column_count;

		if (!c && t->drawing == DOCUMENT_LISTING)
			fprintf(out, "\n<tr style=\"--heat:%.2f\">", heat_of(t, i));
		else if (!c)
			fputs("\n<tr>", out);
		if (!(columns[c] & COLUMN_HAS_DATA))
			continue;
		begin_cell(&t->values.items[i], columns[c], out);
		put_value(s, &t->values.items[i], mangled, out);
	}
	fputs("\n</tbody>", out);
}

static int put_table(const struct document *s, const struct document_table *t, bool mangled,
		     FILE *out)
{
	uint8_t *columns = memory_alloc_array(t->column_count, sizeof(*columns));
	size_t rows = t->values.count / t->column_count;

	if (!columns)
		return -1;
	look_at_columns(s, t, columns);
	if (rows < t->rows_in_all) {
		fputs("<p class=\"note\">The first ", out);
		page_put_count(out, rows);
		fputs(" of ", out);
		page_put_count(out, t->rows_in_all);
		fputs(" rows.</p>\n", out);
	}
	fprintf(out,
		"<div class=\"table\" role=\"region\" tabindex=\"0\" aria-labelledby=\"%s-title\">"
		"<table>",
		t->what.key);
	put_rows(s, t, columns, mangled, out);
	fputs("</table></div>\n", out);
	memory_free(columns);
	return 0;
}

#define GRAPH_ID "graph"

/* A graph has two tables; the first one becomes its section. */
static const struct document_table *first_of_graph(const struct document *s)
{
	const struct document_table *t;

	vector_each (&s->tables, t)
		if (t->drawing == DOCUMENT_GRAPH && t->values.count)
			return t;
	return NULL;
}

static void put_graph(FILE *out)
{
	page_begin_section(out, GRAPH_ID, "Control-flow graph");
	fputs("<p class=\"note\">Blocks of a function in the order of their addresses, with how often "
	      "each was executed; the bar in a block is its count, too. Edges are as wide as they were "
	      "taken often: a forward branch is at the right, a loop's branch back at the left, what "
	      "falls through between the blocks. Point at one for its count.</p>\n"
	      "<noscript><p>The graph is drawn by JavaScript, which is switched off here; "
	      "<code>softlbr report --view=graph</code> prints its figures.</p></noscript>\n",
	      out);
	page_end_section(out);
}

static int put_section(const struct document *s, const struct document_table *t, bool mangled,
		       FILE *out)
{
	int rc;

	if (t->drawing == DOCUMENT_GRAPH) {
		page_data_put_table(s, t, mangled, out);
		if (t == first_of_graph(s))
			put_graph(out);
		return 0;
	}
	page_begin_section(out, t->what.key, t->what.title);
	if (t->drawing == DOCUMENT_HISTOGRAM)
		page_histogram_put(s, t, mangled, out);
	if (t->drawing == DOCUMENT_TIMELINE)
		page_timeline_put(s, t, mangled, out);
	rc = put_table(s, t, mangled, out);
	page_end_section(out);
	return rc;
}

/* A title says more behind a colon or comma. */
static void put_link(const char *id, const char *title, FILE *out)
{
	char text[256];

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(title, ":,("), title);
	fprintf(out, "<a href=\"#%s\">", id);
	page_put_text(out, text);
	fputs("</a>\n", out);
}

/* The flame graph stands behind the first table, which says most. */
static const struct document_table *first_of(const struct document *s)
{
	const struct document_table *t;

	vector_each (&s->tables, t)
		if (t->values.count)
			return t;
	return NULL;
}

static void put_links(const struct document *s, bool flames, FILE *out)
{
	const struct document_table *t, *first = first_of(s);

	fputs("<nav aria-label=\"Sections\">\n", out);
	vector_each (&s->tables, t) {
		if (t->drawing != DOCUMENT_GRAPH && t->values.count)
			put_link(t->what.key, t->what.title, out);
		else if (t == first_of_graph(s))
			put_link(GRAPH_ID, "Control-flow graph", out);
		if (flames && t == first)
			put_link(PAGE_FLAME_ID, PAGE_FLAME_TITLE, out);
	}
	if (flames && !first)
		put_link(PAGE_FLAME_ID, PAGE_FLAME_TITLE, out);
	fputs("</nav>\n", out);
}

static int put_tables(const struct document *s, const struct document_style *style,
		      const struct call_tree *flames, FILE *out)
{
	const struct document_table *t, *first = first_of(s);

	vector_each (&s->tables, t) {
		if (t->values.count && put_section(s, t, style->mangled, out))
			return -1;
		if (flames && t == first)
			page_flame_put(flames, out);
	}
	if (flames && !first)
		page_flame_put(flames, out);
	return 0;
}

int page_document_put_tables(const struct document *s, const struct document_style *style,
			     FILE *out)
{
	return put_tables(s, style, NULL, out);
}

/* What is said first; the facts are behind it then, but for those that warn. */
static void put_beginning(const struct document *s, const struct document_style *style, FILE *out)
{
	const char *warning = document_fact_find(s, "warning");

	if (!s->lead) {
		page_document_put_facts(s, style, out);
		return;
	}
	fputs("<p class=\"lead\" data-key=\"in_short\">", out);
	page_put_text(out, s->lead);
	fputs("</p>\n", out);
	if (warning) {
		fputs("<p><strong>Warning:</strong> ", out);
		page_put_text(out, warning);
		fputs("</p>\n", out);
	}
	fputs("<details><summary>About the recording</summary>\n", out);
	page_document_put_facts(s, style, out);
	fputs("</details>\n", out);
}

int page_document_write(const struct document *s, const struct document_style *style,
			const char *title, const struct call_tree *calls, FILE *out,
			struct softlbr_error *e)
{
	const bool flames = calls && calls->nodes.count && calls->nodes.items[CALL_TREE_TOP].total;
	int rc;

	if (s->failed)
		return error_set_nomem(e);
	page_begin(out, title);
	fputs("<div class=\"document\">\n<div class=\"facts\">\n", out);
	put_beginning(s, style, out);
	fputs("</div>\n", out);
	put_links(s, flames, out);
	fputs("<div class=\"sections\">\n", out);
	rc = put_tables(s, style, flames ? calls : NULL, out);
	fputs("</div>\n</div>\n", out);
	page_end(out);
	return rc ? error_set_nomem(e) : 0;
}
