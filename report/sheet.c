/* SPDX-License-Identifier: MIT */
#include "report/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void sheet_init(struct sheet *s)
{
	*s = (struct sheet){.strings = strings_new()};
	s->failed = !s->strings;
}

void sheet_deinit(struct sheet *s)
{
	struct sheet_table *t;
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

static struct sheet_value text_value(struct sheet *s, const char *text)
{
	struct sheet_value v = {.kind = SHEET_TEXT};

	v.text = s->strings ? strings_add_text(s->strings, text) : STRINGS_NONE;
	s->failed |= v.text == STRINGS_NONE;
	return v;
}

static void add_fact(struct sheet *s, const char *key, const char *title, struct sheet_value value)
{
	struct sheet_fact *f = vector_push(&s->facts);

	if (f)
		*f = (struct sheet_fact){{key, title}, value};
	else
		s->failed = true;
}

void sheet_fact_text(struct sheet *s, const char *key, const char *title, const char *text)
{
	add_fact(s, key, title, text_value(s, text));
}

void sheet_fact_number(struct sheet *s, const char *key, const char *title, uint64_t number)
{
	add_fact(s, key, title, (struct sheet_value){.kind = SHEET_NUMBER, .number = number});
}

void sheet_fact_share(struct sheet *s, const char *key, const char *title, double share)
{
	add_fact(s, key, title, (struct sheet_value){.kind = SHEET_SHARE, .share = share});
}

void sheet_fact_none(struct sheet *s, const char *key, const char *title)
{
	add_fact(s, key, title, (struct sheet_value){.kind = SHEET_NONE});
}

/* Strings are numbered in each sheet. */
static struct sheet_value value_of(struct sheet *s, const struct sheet *from,
				   const struct sheet_value *v)
{
	struct sheet_value copy = v ? *v : (struct sheet_value){.kind = SHEET_NONE};

	if (!sheet_value_is_text(&copy))
		return copy;
	copy.text = text_value(s, strings_text(from->strings, v->text)).text;
	return copy;
}

void sheet_fact_value(struct sheet *s, const char *key, const char *title, const struct sheet *from,
		      const struct sheet_value *v)
{
	add_fact(s, key, title, value_of(s, from, v));
}

static void *keep(struct sheet *s, void *memory)
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

struct sheet_column *sheet_own_columns(struct sheet *s, size_t count)
{
	return keep(s, memory_alloc_array(count, sizeof(struct sheet_column)));
}

const char *sheet_keep_text(struct sheet *s, const char *text)
{
	const char *kept = keep(s, memory_copy_string(text));

	return kept ? kept : "";
}

void sheet_table(struct sheet *s, const char *key, const char *title,
		 const struct sheet_column *columns, size_t column_count)
{
	struct sheet_table *t = vector_push(&s->tables);

	if (t)
		*t = (struct sheet_table){
			.what = {key, title}, .columns = columns, .column_count = column_count};
	else
		s->failed = true;
}

void sheet_draw(struct sheet *s, enum sheet_drawing drawing)
{
	if (!s->failed)
		s->tables.items[s->tables.count - 1].drawing = drawing;
}

static void put(struct sheet *s, struct sheet_value value)
{
	struct sheet_table *t;
	struct sheet_value *v;

	if (s->failed)
		return;
	t = &s->tables.items[s->tables.count - 1];
	v = vector_push(&t->values);
	if (v)
		*v = value;
	else
		s->failed = true;
	t->rows_in_all = t->values.count / t->column_count;
}

void sheet_put_text(struct sheet *s, const char *text)
{
	put(s, text_value(s, text));
}

void sheet_put_code(struct sheet *s, const char *text)
{
	struct sheet_value v = text_value(s, text);

	v.kind = SHEET_CODE;
	put(s, v);
}

void sheet_put_symbol(struct sheet *s, const char *text)
{
	struct sheet_value v = text_value(s, text);

	v.kind = SHEET_SYMBOL;
	put(s, v);
}

void sheet_put_number(struct sheet *s, uint64_t number)
{
	put(s, (struct sheet_value){.kind = SHEET_NUMBER, .number = number});
}

void sheet_put_address(struct sheet *s, uint64_t address)
{
	put(s, (struct sheet_value){.kind = SHEET_ADDRESS, .number = address});
}

void sheet_put_share(struct sheet *s, uint64_t part, uint64_t whole)
{
	if (whole)
		sheet_put_fraction(s, (double)part / (double)whole);
	else
		sheet_put_none(s);
}

void sheet_put_fraction(struct sheet *s, double share)
{
	put(s, (struct sheet_value){.kind = SHEET_SHARE, .share = share});
}

void sheet_put_real(struct sheet *s, double value)
{
	put(s, (struct sheet_value){.kind = SHEET_REAL, .share = value});
}

void sheet_put_none(struct sheet *s)
{
	put(s, (struct sheet_value){.kind = SHEET_NONE});
}

void sheet_put_value(struct sheet *s, const struct sheet *from, const struct sheet_value *v)
{
	put(s, value_of(s, from, v));
}

void sheet_put_change(struct sheet *s, double change, const struct sheet_value *like)
{
	bool of_shares = like && like->kind == SHEET_SHARE;

	put(s,
	    (struct sheet_value){.kind = of_shares ? SHEET_POINTS : SHEET_REAL, .share = change});
}

struct ranking {
	const struct strings *strings;
	size_t columns, by;
};

static int compare_values(const struct ranking *r, const struct sheet_value *a,
			  const struct sheet_value *b)
{
	if (a->kind != b->kind)
		return (a->kind > b->kind) - (a->kind < b->kind);
	if (sheet_value_is_text(a))
		return strcmp(strings_text(r->strings, a->text), strings_text(r->strings, b->text));
	if (a->kind == SHEET_SHARE || a->kind == SHEET_REAL || a->kind == SHEET_POINTS)
		return (a->share > b->share) - (a->share < b->share);
	return (a->number > b->number) - (a->number < b->number);
}

static int compare_rows(const void *x, const void *y, void *context)
{
	const struct sheet_value *a = x, *b = y;
	const struct ranking *r = context;
	int order = compare_values(r, &b[r->by], &a[r->by]);

	for (size_t i = 0; !order && i < r->columns; i++)
		order = compare_values(r, &a[i], &b[i]);
	return order;
}

void sheet_rank(struct sheet *s, size_t column, size_t top)
{
	struct sheet_table *t;
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

void sheet_end(struct sheet *s, size_t rows_in_all)
{
	if (!s->failed)
		s->tables.items[s->tables.count - 1].rows_in_all = rows_in_all;
}
