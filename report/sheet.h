/* SPDX-License-Identifier: MIT */
/*
 * A sheet: what is said of a profile as facts and tables, and its two views, for people and for
 * programs. Running out of memory is remembered: fill without checking, the views report it.
 */
#ifndef REPORT_SHEET_H
#define REPORT_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/strings.h"
#include "base/vector.h"
#include "softlbr/error.h"

enum sheet_kind {
	SHEET_NONE,
	SHEET_TEXT,
	SHEET_SYMBOL, /* text with linkage names in it */
	SHEET_CODE,   /* text in which each character is as wide as the others */
	SHEET_NUMBER,
	SHEET_SHARE,
	SHEET_REAL,
	SHEET_POINTS, /* difference of two shares */
	SHEET_ADDRESS
};

/* What pages make of a table. */
enum sheet_drawing {
	SHEET_LISTED,
	/*
	 * Listed, and drawn: columns low, high, count, share and peak (the most frequent value of a
	 * bin that is a peak, else none) of bins, the unit is the title of low. Rows that agree in
	 * the columns before low are one histogram, and these name it.
	 */
	SHEET_HISTOGRAM,
	SHEET_GRAPH, /* blocks or edges: drawn by the page's script (report/html/page.js) alone */
};

struct sheet_value {
	union {
		uint64_t number; /* NUMBER, ADDRESS */
		double share;	 /* SHARE: in [0,1]; REAL, POINTS: any */
	};
	uint32_t text; /* in the sheet's strings */
	uint8_t kind;
};

/* Is it of a kind that has a text? */
static inline bool sheet_value_is_text(const struct sheet_value *v)
{
	return v->kind == SHEET_TEXT || v->kind == SHEET_SYMBOL || v->kind == SHEET_CODE;
}

/* Keys are names in JSON, titles are for people; borrowed. */
struct sheet_column {
	const char *key, *title;
};

/* An array of columns and how many they are, as sheet_table wants them. */
#define COLUMNS(array) (array), sizeof(array) / sizeof(*(array))

struct sheet_fact {
	struct sheet_column what;
	struct sheet_value value;
};

struct sheet_table {
	struct sheet_column what;
	const struct sheet_column *columns;
	size_t column_count;
	size_t rows_in_all; /* those that were cut off too */
	enum sheet_drawing drawing;
	VECTOR(struct sheet_value) values; /* row by row */
};

struct sheet {
	struct strings *strings;
	VECTOR(struct sheet_fact) facts;
	VECTOR(struct sheet_table) tables;
	VECTOR(void *) kept; /* columns and texts that it owns */
	bool failed;
};

/* How a sheet is written. */
struct sheet_style {
	bool mangled;	/* linkage names as they are */
	size_t columns; /* symbols are shortened for tables to be no wider, if possible */
};

void sheet_init(struct sheet *s);
void sheet_deinit(struct sheet *s);

void sheet_fact_text(struct sheet *s, const char *key, const char *title, const char *text);
void sheet_fact_number(struct sheet *s, const char *key, const char *title, uint64_t number);
void sheet_fact_share(struct sheet *s, const char *key, const char *title, double share);
void sheet_fact_none(struct sheet *s, const char *key, const char *title); /* not known */

void sheet_fact_value(struct sheet *s, const char *key, const char *title, const struct sheet *from,
		      const struct sheet_value *v);

/* Columns and texts for tables whose columns are not known beforehand, which live as long as the
 * sheet. Without memory NULL, or an empty text. */
struct sheet_column *sheet_own_columns(struct sheet *s, size_t count);
const char *sheet_keep_text(struct sheet *s, const char *text);

/* Begin a table; values are put in the order of its columns. Everything but text in @columns must
 * live as long as the sheet. */
void sheet_table(struct sheet *s, const char *key, const char *title,
		 const struct sheet_column *columns, size_t column_count);
/* How pages show the table that was begun. */
void sheet_draw(struct sheet *s, enum sheet_drawing drawing);
void sheet_put_text(struct sheet *s, const char *text);
void sheet_put_code(struct sheet *s, const char *text);
void sheet_put_symbol(struct sheet *s, const char *text);
void sheet_put_number(struct sheet *s, uint64_t number);
void sheet_put_address(struct sheet *s, uint64_t address);
void sheet_put_share(struct sheet *s, uint64_t part, uint64_t whole); /* none of 0 */
void sheet_put_fraction(struct sheet *s, double share);		      /* in [0,1] */
void sheet_put_real(struct sheet *s, double value);
void sheet_put_none(struct sheet *s);
/* Put a value of the sheet @from; NULL: none. */
void sheet_put_value(struct sheet *s, const struct sheet *from, const struct sheet_value *v);
/* Put the difference of two values like @like. */
void sheet_put_change(struct sheet *s, double change, const struct sheet_value *like);
/* End the table: rows by falling number in @column, then by the other columns ascending; at most
 * @top of them, 0 = all. */
void sheet_rank(struct sheet *s, size_t column, size_t top);
/* Or end one whose rows were put in their order: the first of @rows_in_all. */
void sheet_end(struct sheet *s, size_t rows_in_all);

/* Text has - for what is not known, JSON null, CSV an empty field. Control characters of foreign
 * text come out as "?". 0 or a negative code. */
int sheet_write_text(const struct sheet *s, const struct sheet_style *style, FILE *stream,
		     struct softlbr_error *e);
/* Symbols are linkage names; where KEY is mangled, KEY_demangled is beside it. */
int sheet_write_json(const struct sheet *s, const struct sheet_style *style, FILE *stream,
		     struct softlbr_error *e);
/* Columns are named by their keys, symbols are demangled unless style->mangled. */
int sheet_write_csv(const struct sheet *s, const struct sheet_style *style, FILE *stream,
		    struct softlbr_error *e);

#endif
