/* SPDX-License-Identifier: MIT */
/* Two documents of the same kind as one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "report/document.h"

#define NO_ROW SIZE_MAX

/* One row of both tables; NO_ROW where it is in one only. */
struct row_pair {
	size_t rows[2];
	double change; /* what rows are ranked by */
};

/* A table of both documents at work. */
struct comparison {
	struct document *out;
	const struct document *documents[2];
	const struct document_table *tables[2];
	bool *names;   /* by column: it says which row it is */
	size_t ranked; /* the column whose change ranks rows; the count of columns: none */
	VECTOR(struct row_pair) pairs;
};

/* Numbers that say which row it is: bins of a histogram, levels of a tree. */
static bool is_ordinal(const struct document_table *t, size_t column)
{
	static const char *const keys[] = {"depth", "low", "high"};

	if (column >= t->values.count || t->values.items[column].kind != DOCUMENT_NUMBER)
		return false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(t->columns[column].key, keys[i]))
			return true;
	return false;
}

static bool has_text(const struct document_table *t, size_t column)
{
	for (size_t i = column; i < t->values.count; i += t->column_count)
		if (document_value_is_text(&t->values.items[i]) ||
		    t->values.items[i].kind == DOCUMENT_ADDRESS)
			return true;
	return false;
}

static void classify_columns(struct comparison *c)
{
	const struct document_table *t = c->tables[0];

	c->ranked = t->column_count;
	for (size_t i = 0; i < t->column_count; i++) {
		const char *key = t->columns[i].key;

		c->names[i] = is_ordinal(t, i) || has_text(c->tables[0], i) ||
			      has_text(c->tables[1], i);
		/* numbers of rows change with what is above them */
		if (!c->names[i] && strcmp(key, "path") != 0 && strcmp(key, "step") != 0 &&
		    (c->ranked == t->column_count || !strcmp(key, "share")))
			c->ranked = i;
	}
}

/* Begin the table. A column "count" is followed by "count_2", the ranked one by "share_change",
 * too. */
static void begin_table(struct comparison *c)
{
	const struct document_table *t = c->tables[0];
	char text[4096];
	size_t used = 0;

	for (size_t i = 0; i < t->column_count && used < sizeof(text); i++) {
		const char *key = t->columns[i].key, *title = t->columns[i].title;

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s: %s",
					 i ? ", " : "", key, title);
		if (!c->names[i] && used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, ", %s_2: %s 2",
						 key, title);
		if (!c->names[i] && i == c->ranked && used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 ", %s_change: change", key);
	}
	c->out->failed |= used >= sizeof(text);
	document_table(c->out, t->what.key, t->what.title, text);
}

static const struct document_value *value_at(const struct comparison *c, unsigned of, size_t row,
					     size_t column)
{
	const struct document_table *t = c->tables[of];

	return row == NO_ROW ? NULL : &t->values.items[row * t->column_count + column];
}

/* One number for all texts and addresses that name a row. */
static uint32_t name_of(const struct comparison *c, unsigned of, size_t row)
{
	char text[8192];
	size_t used = 0;

	for (size_t i = 0; i < c->tables[of]->column_count && used < sizeof(text); i++) {
		const struct document_value *v = value_at(c, of, row, i);

		if (!c->names[i])
			continue;
		if (document_value_is_text(v))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s\n",
						 strings_text(c->documents[of]->strings, v->text));
		else
			used += (size_t)snprintf(
				text + used, sizeof(text) - used, "%llu\n",
				v->kind == DOCUMENT_NONE ? ~0ull : (unsigned long long)v->number);
	}
	return strings_add_text(c->out->strings, text);
}

/* The @n-th row of a name in one table goes with the n-th of the other. */
static int pair_rows(struct comparison *c)
{
	struct map pairs = {0}; /* (name, n) -> n = index + 1 */
	struct map times = {0}; /* (name, table) -> n */
	int rc = 0;

	for (unsigned of = 0; of < 2; of++)
		for (size_t row = 0;
		     !rc && row * c->tables[of]->column_count < c->tables[of]->values.count;
		     row++) {
			uint32_t name = name_of(c, of, row);
			struct map_entry *time = map_at(&times, name, of);
			struct map_entry *number = time ? map_at(&pairs, name, time->n++) : NULL;
			struct row_pair *pair = number && !number->n ? vector_push(&c->pairs)
								     : NULL;

			if (!number || (!number->n && !pair)) {
				rc = -1;
				break;
			}
			if (pair) {
				*pair = (struct row_pair){{NO_ROW, NO_ROW}, 0};
				number->n = c->pairs.count;
			}
			c->pairs.items[number->n - 1].rows[of] = row;
		}
	map_deinit(&pairs);
	map_deinit(&times);
	return rc;
}

/* A row that is in one table only has run 0 times in the other. */
static double amount(const struct document_value *v)
{
	if (!v || v->kind == DOCUMENT_NONE)
		return 0;
	return v->kind == DOCUMENT_NUMBER ? (double)v->number : v->share;
}

static int by_change(const void *x, const void *y)
{
	const struct row_pair *a = x, *b = y;
	double of_a = fabs(a->change), of_b = fabs(b->change);

	if (of_a < of_b || of_a > of_b)
		return of_a < of_b ? 1 : -1;
	for (unsigned i = 0; i < 2; i++)
		if (a->rows[i] != b->rows[i])
			return a->rows[i] < b->rows[i] ? -1 : 1;
	return 0;
}

static void put_pair(struct comparison *c, const struct row_pair *p)
{
	const unsigned named = p->rows[0] == NO_ROW;

	for (size_t i = 0; i < c->tables[0]->column_count; i++) {
		if (c->names[i]) {
			document_put_value(c->out, c->documents[named],
					   value_at(c, named, p->rows[named], i));
			continue;
		}
		for (unsigned of = 0; of < 2; of++)
			document_put_value(c->out, c->documents[of],
					   value_at(c, of, p->rows[of], i));
		if (i == c->ranked)
			document_put_change(c->out, p->change,
					    value_at(c, named, p->rows[named], i));
	}
}

static void compare_tables(struct comparison *c, size_t top)
{
	struct row_pair *p;
	size_t put = 0;

	classify_columns(c);
	if (pair_rows(c)) {
		c->out->failed = true;
		return;
	}
	vector_each (&c->pairs, p)
		p->change = c->ranked < c->tables[0]->column_count
				    ? amount(value_at(c, 1, p->rows[1], c->ranked)) -
					      amount(value_at(c, 0, p->rows[0], c->ranked))
				    : 0;
	vector_sort(&c->pairs, by_change);
	begin_table(c);
	vector_each (&c->pairs, p)
		if (!top || put++ < top)
			put_pair(c, p);
	document_end(c->out, c->pairs.count);
}

static const struct document_table *table_named(const struct document *s, const char *key)
{
	const struct document_table *t;

	vector_each (&s->tables, t)
		if (!strcmp(t->what.key, key))
			return t;
	return NULL;
}

static void compare_table(struct document *out, const struct document *a, const struct document *b,
			  const struct document_table *t, size_t top)
{
	struct comparison c = {
		.out = out, .documents = {a, b}, .tables = {t, table_named(b, t->what.key)}};

	if (!c.tables[1] || c.tables[1]->column_count != t->column_count)
		return;
	c.names = memory_alloc_array(t->column_count, sizeof(*c.names));
	if (c.names)
		compare_tables(&c, top);
	else
		out->failed = true;
	vector_deinit(&c.pairs);
	memory_free(c.names);
}

static void put_facts(struct document *out, const struct document *from, bool second)
{
	const struct document_fact *f;
	char key[80], title[80];

	vector_each (&from->facts, f) {
		snprintf(key, sizeof(key), "%s%s", f->what.key, second ? "_2" : "");
		snprintf(title, sizeof(title), "%s%s", f->what.title,
			 second && f->what.title[0] ? " 2" : "");
		document_fact_value(out, document_keep_text(out, key),
				    document_keep_text(out, title), from, &f->value);
	}
}

void document_compare(struct document *out, const struct document *a, const struct document *b,
		      size_t top)
{
	const struct document_table *t;

	document_init(out);
	out->failed |= a->failed || b->failed;
	put_facts(out, a, false);
	put_facts(out, b, true);
	vector_each (&a->tables, t)
		if (!out->failed && t->drawing != DOCUMENT_TIMELINE)
			compare_table(out, a, b, t, top);
}
