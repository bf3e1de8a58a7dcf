/* SPDX-License-Identifier: MIT */
/* A sheet as JSON: facts are members, tables are arrays of objects. */
#include <inttypes.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "report/demangle.h"
#include "report/sheet.h"

static void add_value(const struct sheet *s, struct json_node *to, const char *key,
		      const struct sheet_value *v)
{
	char address[20];

	switch (v->kind) {
	case SHEET_TEXT:
	case SHEET_CODE:
	case SHEET_SYMBOL:
		json_node_add_text(to, key, strings_text(s->strings, v->text));
		break;
	case SHEET_NUMBER:
		if (v->number <= INT64_MAX)
			json_node_add_integer(to, key, (int64_t)v->number);
		else
			json_node_add_real(to, key, (double)v->number);
		break;
	case SHEET_ADDRESS:
		snprintf(address, sizeof(address), "0x%" PRIx64, v->number);
		json_node_add_text(to, key, address);
		break;
	case SHEET_SHARE:
	case SHEET_REAL:
	case SHEET_POINTS:
		json_node_add_real(to, key, v->share);
		break;
	default:
		json_node_add_null(to, key);
	}
}

static void add_demangled(const struct sheet *s, struct json_node *to, const char *key,
			  const struct sheet_value *v)
{
	char *text = demangle_text(strings_text(s->strings, v->text)), name[64];

	snprintf(name, sizeof(name), "%s_demangled", key);
	if (text)
		json_node_add_text(to, name, text);
	memory_free(text);
}

static struct json_node *table_node(const struct sheet *s, const struct sheet_table *t,
				    bool mangled)
{
	struct json_node *node = json_node_object(), *rows = json_node_array(), *row = NULL;

	json_node_add_integer(node, "rows_in_all", (int64_t)t->rows_in_all);
	for (size_t i = 0; i < t->values.count; i++) {
		size_t c = i % t->column_count;

		if (!c)
			row = json_node_object();
		add_value(s, row, t->columns[c].key, &t->values.items[i]);
		if (!mangled && t->values.items[i].kind == SHEET_SYMBOL)
			add_demangled(s, row, t->columns[c].key, &t->values.items[i]);
		if (c + 1 == t->column_count)
			json_node_add_take(rows, NULL, row);
	}
	json_node_add_take(node, "rows", rows);
	return node;
}

int sheet_write_json(const struct sheet *s, const struct sheet_style *style, FILE *stream,
		     struct softlbr_error *e)
{
	struct json_node *root = json_node_document();
	const struct sheet_table *t;
	const struct sheet_fact *f;
	int rc;

	vector_each (&s->facts, f)
		add_value(s, root, f->what.key, &f->value);
	vector_each (&s->tables, t)
		json_node_add_take(root, t->what.key, table_node(s, t, style->mangled));
	rc = s->failed ? error_set_nomem(e) : json_node_write(root, stream, e);
	json_node_free(root);
	return rc;
}
