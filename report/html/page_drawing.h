/* SPDX-License-Identifier: MIT */
/*
 * Drawings in a page: histograms and points as SVG; flame graphs and control-flow graphs as data
 * that the page's script draws, JSON in a script element that is not run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/model/call_tree.h"
#include "report/document.h"

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
