/* SPDX-License-Identifier: MIT */
/*
 * A document: what is said of a profile as facts and tables, and its two views, for people and for
 * programs. Running out of memory is remembered: fill without checking, the views report it.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/strings.h"
#include "base/vector.h"
#include "softlbr/error.h"

enum document_kind {
	DOCUMENT_NONE,
	DOCUMENT_TEXT,
	DOCUMENT_SYMBOL, /* text with linkage names in it */
	DOCUMENT_CODE,	 /* text in which each character is as wide as the others */
	DOCUMENT_NUMBER,
	DOCUMENT_SHARE,
	DOCUMENT_REAL,
	DOCUMENT_POINTS, /* difference of two shares */
	DOCUMENT_ADDRESS
};

/* What pages make of a table. */
enum document_drawing {
	DOCUMENT_LISTED,
	/*
	 * Listed, and drawn: columns low, high, count, share and peak (the most frequent value of a
	 * bin that is a peak, else none) of bins, the unit is the title of low. Rows that agree in
	 * the columns before low are one histogram, and these name it.
	 */
	DOCUMENT_HISTOGRAM,
	DOCUMENT_GRAPH,	  /* blocks or edges: drawn by report/html/page.js alone */
	DOCUMENT_LISTING, /* lines of code, whose first column says how hot they are */
	/* Listed, and drawn: rows are equal parts of the time, with columns low, high, busy, share
	 * and function. Documents that are compared have none. */
	DOCUMENT_TIMELINE,
};

struct document_value {
	union {
		uint64_t number; /* NUMBER, ADDRESS */
		double share;	 /* SHARE: in [0,1]; REAL, POINTS: any */
	};
	uint32_t text; /* in the document's strings */
	uint8_t kind;
};

/* Is it of a kind that has a text? */
static inline bool document_value_is_text(const struct document_value *v)
{
	return v->kind == DOCUMENT_TEXT || v->kind == DOCUMENT_SYMBOL || v->kind == DOCUMENT_CODE;
}

/* A value but for text as people read it, in @room of 40 bytes or as a constant. */
const char *document_value_format(const struct document_value *v, char *room, size_t size);

/* Keys are names in JSON, titles are for people; borrowed. */
struct document_column {
	const char *key, *title;
};

struct document_fact {
	struct document_column what;
	struct document_value value;
};

struct document_table {
	struct document_column what;
	const struct document_column *columns;
	size_t column_count;
	size_t rows_in_all; /* those that were cut off too */
	enum document_drawing drawing;
	VECTOR(struct document_value) values; /* row by row */
};

struct document {
	struct strings *strings;
	VECTOR(struct document_fact) facts;
	VECTOR(struct document_table) tables;
	VECTOR(void *) kept; /* columns and texts that it owns */
	const char *lead;    /* what it says in a sentence or two; NULL: nothing */
	bool failed;
};

/* How a document is written. */
struct document_style {
	bool mangled;	/* linkage names as they are */
	size_t columns; /* symbols are shortened for tables to be no wider, if possible */
};

void document_init(struct document *s);
void document_deinit(struct document *s);

/* What is said first; names in it are demangled already. */
void document_lead(struct document *s, const char *text);
void document_fact_text(struct document *s, const char *key, const char *title, const char *text);
void document_fact_number(struct document *s, const char *key, const char *title, uint64_t number);
void document_fact_share(struct document *s, const char *key, const char *title, double share);
void document_fact_real(struct document *s, const char *key, const char *title, double value);
void document_fact_none(struct document *s, const char *key, const char *title); /* not known */

/* The text of a fact, which lives as long as the document; NULL: there is no such. */
const char *document_fact_find(const struct document *s, const char *key);

void document_fact_value(struct document *s, const char *key, const char *title,
			 const struct document *from, const struct document_value *v);

/* A copy of @text that lives as long as the document, as keys and titles must. Without memory an
 * empty text. */
const char *document_keep_text(struct document *s, const char *text);

/*
 * Begin a table; values are put in the order of its columns. @columns are keys with commas between
 * them, each with its title where that is another: "count, low: at least". @key and @title live as
 * long as the document.
 */
void document_table(struct document *s, const char *key, const char *title, const char *columns);
/* How pages show the table that was begun. */
void document_draw(struct document *s, enum document_drawing drawing);
void document_put_text(struct document *s, const char *text); /* NULL: none, here and below */
void document_put_code(struct document *s, const char *text);
void document_put_symbol(struct document *s, const char *text);
void document_put_number(struct document *s, uint64_t number);
void document_put_number_if(struct document *s, bool known, uint64_t number); /* else none */
void document_put_address(struct document *s, uint64_t address);
void document_put_share(struct document *s, uint64_t part, uint64_t whole); /* none of 0 */
void document_put_fraction(struct document *s,
			   double share); /* in [0,1]; NaN: none, here and below */
void document_put_real(struct document *s, double value);
void document_put_none(struct document *s);
/* Put a value of the document @from; NULL: none. */
void document_put_value(struct document *s, const struct document *from,
			const struct document_value *v);
/* Put the difference of two values like @like. */
void document_put_change(struct document *s, double change, const struct document_value *like);
/* End the table: rows by falling number in @column, then by the other columns ascending; at most
 * @top of them, 0 = all. */
void document_rank(struct document *s, size_t column, size_t top);
/* Or end one whose rows were put in their order: the first of @rows_in_all. */
void document_end(struct document *s, size_t rows_in_all);

/* Text has - for what is not known, JSON null, CSV an empty field. Control characters of foreign
 * text come out as "?". 0 or a negative code. */
int document_write_text(const struct document *s, const struct document_style *style, FILE *stream,
			struct softlbr_error *e);
/* Symbols are linkage names; where KEY is mangled, KEY_demangled is beside it. */
int document_write_json(const struct document *s, const struct document_style *style, FILE *stream,
			struct softlbr_error *e);
/* Columns are named by their keys, symbols are demangled unless style->mangled. */
int document_write_csv(const struct document *s, const struct document_style *style, FILE *stream,
		       struct softlbr_error *e);

/*
 * Initialise @out with two documents of the same kind as one: rows that name the same are one row,
 * with both values of each figure and the change of the shares. Rows are named by their texts and
 * addresses, so of two builds of a program lines and functions can be compared, and addresses
 * hardly. @a and @b were made without a limit of rows; of each table at most @top rows, those that
 * changed most, 0 = all. Tables that only one of them has are left out. Nothing of @a and @b is
 * needed afterwards.
 */
void document_compare(struct document *out, const struct document *a, const struct document *b,
		      size_t top);
