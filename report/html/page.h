/* SPDX-License-Identifier: MIT */
/*
 * A page: one HTML file that needs no other and no network. Its style and its script are
 * report/html/page.css and page.js, which are built into the program. Everything is readable
 * without the script; drawings that need it say so. Errors of the stream are the caller's to look
 * for.
 */
#pragma once

#include <stdio.h>

#include "base/file_guard.h"
#include "formats/model/call_tree.h"
#include "report/document.h"
#include "softlbr/error.h"

/* Pages of ours, of any command. */
extern const struct file_guard_kind page_kind;

/* Up to where sections begin; @title is text. */
void page_begin(FILE *out, const char *title);
void page_end(FILE *out);

/* A section with a heading, which is text: what of @title is in parentheses becomes a note below.
 * @id is a word that no other has. */
void page_begin_section(FILE *out, const char *id, const char *title);
void page_end_section(FILE *out);
/* A title without what is in parentheses. */
void page_put_title(FILE *out, const char *title);

/* @text for HTML, also between quotes; control characters but line feeds and tabs are "?". */
void page_put_text(FILE *out, const char *text);
/* The character that @text begins with, as it is; what is no UTF-8 as U+FFFD. Its bytes. */
size_t page_put_character(FILE *out, const char *text);
/* A name, or text with linkage names in it: demangled unless @mangled, shortened with the whole as
 * its title. */
void page_put_name(FILE *out, const char *name, bool mangled);
/* 1,234,567 */
void page_put_count(FILE *out, uint64_t count);

/* ---- a document as a page (page_document.c) ------------------------------------------------- */

/* The whole file; @title is text; @calls are drawn as a flame graph, NULL or empty: none. 0 or a
 * negative code, errors of the stream are the caller's. */
int page_document_write(const struct document *s, const struct document_style *style,
			const char *title, const struct call_tree *calls, FILE *out,
			struct softlbr_error *e);

/* Parts of it, for pages that have more than a document. Links lead to the tables' sections; what
 * puts tables returns -1 without memory. */
void page_document_put_facts(const struct document *s, const struct document_style *style,
			     FILE *out);
int page_document_put_tables(const struct document *s, const struct document_style *style,
			     FILE *out);

/* ---- drawings (page_drawing.c) -------------------------------------------------------------- */

/* The element's id is "data-" and the table's key; its value is {"columns": [key...], "rows":
 * [[value...]...]}: shares from 0 to 1, addresses as text, null for what is not known. */
void page_data_put_table(const struct document *s, const struct document_table *t, bool mangled,
			 FILE *out);

#define PAGE_FLAME_ID	 "flame"
#define PAGE_FLAME_TITLE "Flame graph"

/* A flame graph: its data, and the section that it is drawn in. @t has been summed. Frames that no
 * screen has room for (under 1/4,000 of all, or deeper than 200) are left out; they are in the
 * totals of those above them. */
void page_flame_put(const struct call_tree *t, FILE *out);

/* Draw a table as DOCUMENT_HISTOGRAM says: histograms with axes, units, and a sentence that says
 * what to see. */
void page_histogram_put(const struct document *s, const struct document_table *t, bool mangled,
			FILE *out);

struct page_point {
	double share[2];   /* of A and B, in [0,1] */
	const char *name;  /* of a function */
	uint64_t from, to; /* of an edge; 0 of none */
};

/* Shares of two sides against each other, with logarithmic axes: points in the order given,
 * demangled unless @mangled where the pointer rests on one. */
void page_scatter_put(const struct page_point *points, size_t count, bool mangled, FILE *out);

/* ---- time (page_timeline.c) ----------------------------------------------------------------- */

/* Draw a table as DOCUMENT_TIMELINE says. */
void page_timeline_put(const struct document *s, const struct document_table *t, bool mangled,
		       FILE *out);
