/* SPDX-License-Identifier: MIT */
#include "report/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void document_init(struct document *s)
{
	*s = (struct document){.strings = strings_new()};
	s->failed = !s->strings;
}

void document_deinit(struct document *s)
{
	struct document_table *t;
	void **kept;

	vector_each (&s->tables, t)
		vector_deinit(&t->values);
	vector_each (&s->kept, kept)
		memory_free(*kept);
	vector_deinit(&s->kept);
	vector_deinit(&s->tables);
	vector_deinit(&s->facts);
	strings_free(s->strings);
	s->strings = NULL;
}

static struct document_value text_value(struct document *s, const char *text)
{
	struct document_value v = {.kind = DOCUMENT_TEXT};

	v.text = s->strings ? strings_add_text(s->strings, text) : STRINGS_NONE;
	s->failed |= v.text == STRINGS_NONE;
	return v;
}

static void add_fact(struct document *s, const char *key, const char *title,
		     struct document_value value)
{
	if (vector_add(&s->facts, (struct document_fact){{key, title}, value}))
		s->failed = true;
}

void document_fact_text(struct document *s, const char *key, const char *title, const char *text)
{
	add_fact(s, key, title, text_value(s, text));
}

const char *document_fact_find(const struct document *s, const char *key)
{
	const struct document_fact *f;

	vector_each (&s->facts, f)
		if (!strcmp(f->what.key, key) && document_value_is_text(&f->value))
			return strings_text(s->strings, f->value.text);
	return NULL;
}

void document_fact_number(struct document *s, const char *key, const char *title, uint64_t number)
{
	add_fact(s, key, title, (struct document_value){.kind = DOCUMENT_NUMBER, .number = number});
}

void document_fact_share(struct document *s, const char *key, const char *title, double share)
{
	add_fact(s, key, title, (struct document_value){.kind = DOCUMENT_SHARE, .share = share});
}

void document_fact_real(struct document *s, const char *key, const char *title, double value)
{
	add_fact(s, key, title, (struct document_value){.kind = DOCUMENT_REAL, .share = value});
}

void document_fact_none(struct document *s, const char *key, const char *title)
{
	add_fact(s, key, title, (struct document_value){.kind = DOCUMENT_NONE});
}

/* Strings are numbered in each document. */
static struct document_value value_of(struct document *s, const struct document *from,
				      const struct document_value *v)
{
	struct document_value copy = v ? *v : (struct document_value){.kind = DOCUMENT_NONE};

	if (!document_value_is_text(&copy))
		return copy;
	copy.text = text_value(s, strings_text(from->strings, v->text)).text;
	return copy;
}

void document_fact_value(struct document *s, const char *key, const char *title,
			 const struct document *from, const struct document_value *v)
{
	add_fact(s, key, title, value_of(s, from, v));
}

static void *keep_memory(struct document *s, void *memory)
{
	void **slot = memory ? vector_push(&s->kept) : NULL;

	if (slot) {
		*slot = memory;
		return memory;
	}
	memory_free(memory);
	s->failed = true;
	return NULL;
}

const char *document_keep_text(struct document *s, const char *text)
{
	const char *kept = keep_memory(s, memory_copy_string(text));

	return kept ? kept : "";
}

void document_lead(struct document *s, const char *text)
{
	s->lead = document_keep_text(s, text);
}

/* The columns that a text names, which is cut into its parts. */
static struct document_column *read_columns(struct document *s, char *text, size_t count)
{
	struct document_column *columns = keep_memory(s,
						      memory_alloc_array(count, sizeof(*columns)));
	char *column, *rest;

	for (size_t i = 0; columns && (column = strtok_r(i ? NULL : text, ",", &rest)); i++) {
		char *colon = strchr(column, ':');

		column += *column == ' ';
		columns[i] = (struct document_column){column, colon ? colon + 2 : column};
		if (colon)
			*colon = '\0';
	}
	return columns;
}

void document_table(struct document *s, const char *key, const char *title, const char *columns)
{
	char *text = keep_memory(s, memory_copy_string(columns));
	struct document_table *t = text ? vector_push(&s->tables) : NULL;
	size_t count = 1;

	if (!t) {
		s->failed = true;
		return;
	}
	for (const char *c = columns; *c; c++)
		count += *c == ',';
	*t = (struct document_table){.what = {key, title},
				     .columns = read_columns(s, text, count),
				     .column_count = count};
}

void document_draw(struct document *s, enum document_drawing drawing)
{
	if (!s->failed)
		s->tables.items[s->tables.count - 1].drawing = drawing;
}

static void put_value(struct document *s, struct document_value value)
{
	struct document_table *t;

	if (s->failed)
		return;
	t = &s->tables.items[s->tables.count - 1];
	if (vector_add(&t->values, value))
		s->failed = true;
	t->rows_in_all = t->values.count / t->column_count;
}

static void put_text_of_kind(struct document *s, const char *text, enum document_kind kind)
{
	struct document_value v = {.kind = DOCUMENT_NONE};

	if (text) {
		v = text_value(s, text);
		v.kind = kind;
	}
	put_value(s, v);
}

void document_put_text(struct document *s, const char *text)
{
	put_text_of_kind(s, text, DOCUMENT_TEXT);
}

void document_put_code(struct document *s, const char *text)
{
	put_text_of_kind(s, text, DOCUMENT_CODE);
}

void document_put_symbol(struct document *s, const char *text)
{
	put_text_of_kind(s, text, DOCUMENT_SYMBOL);
}

void document_put_number(struct document *s, uint64_t number)
{
	put_value(s, (struct document_value){.kind = DOCUMENT_NUMBER, .number = number});
}

void document_put_number_if(struct document *s, bool known, uint64_t number)
{
	put_value(s, (struct document_value){.kind = known ? DOCUMENT_NUMBER : DOCUMENT_NONE,
					     .number = number});
}

void document_put_address(struct document *s, uint64_t address)
{
	put_value(s, (struct document_value){.kind = DOCUMENT_ADDRESS, .number = address});
}

static void put_figure(struct document *s, double figure, enum document_kind kind)
{
	put_value(s, (struct document_value){.kind = isnan(figure) ? DOCUMENT_NONE : kind,
					     .share = figure});
}

void document_put_share(struct document *s, uint64_t part, uint64_t whole)
{
	put_figure(s, whole ? (double)part / (double)whole : NAN, DOCUMENT_SHARE);
}

void document_put_fraction(struct document *s, double share)
{
	put_figure(s, share, DOCUMENT_SHARE);
}

void document_put_real(struct document *s, double value)
{
	put_figure(s, value, DOCUMENT_REAL);
}

void document_put_none(struct document *s)
{
	put_value(s, (struct document_value){.kind = DOCUMENT_NONE});
}

void document_put_value(struct document *s, const struct document *from,
			const struct document_value *v)
{
	put_value(s, value_of(s, from, v));
}

void document_put_change(struct document *s, double change, const struct document_value *like)
{
	put_figure(s, change,
		   like && like->kind == DOCUMENT_SHARE ? DOCUMENT_POINTS : DOCUMENT_REAL);
}

struct ranking {
	const struct strings *strings;
	size_t columns, by;
};

static int compare_values(const struct ranking *r, const struct document_value *a,
			  const struct document_value *b)
{
	if (a->kind != b->kind)
		return (a->kind > b->kind) - (a->kind < b->kind);
	if (document_value_is_text(a))
		return strcmp(strings_text(r->strings, a->text), strings_text(r->strings, b->text));
	if (a->kind == DOCUMENT_SHARE || a->kind == DOCUMENT_REAL || a->kind == DOCUMENT_POINTS)
		return (a->share > b->share) - (a->share < b->share);
	return (a->number > b->number) - (a->number < b->number);
}

static int compare_rows(const void *x, const void *y, void *context)
{
	const struct document_value *a = x, *b = y;
	const struct ranking *r = context;
	int order = compare_values(r, &b[r->by], &a[r->by]);

	for (size_t i = 0; !order && i < r->columns; i++)
		order = compare_values(r, &a[i], &b[i]);
	return order;
}

void document_rank(struct document *s, size_t column, size_t top)
{
	struct document_table *t;
	struct ranking r;

	if (s->failed)
		return;
	t = &s->tables.items[s->tables.count - 1];
	r = (struct ranking){s->strings, t->column_count, column};
	if (t->rows_in_all > 1)
		qsort_r(t->values.items, t->rows_in_all, t->column_count * sizeof(*t->values.items),
			compare_rows, &r);
	if (top && top < t->rows_in_all)
		t->values.count = top * t->column_count;
}

void document_end(struct document *s, size_t rows_in_all)
{
	if (!s->failed)
		s->tables.items[s->tables.count - 1].rows_in_all = rows_in_all;
}
