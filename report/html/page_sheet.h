/* SPDX-License-Identifier: MIT */
/* A sheet as a page: its facts, and a section for each table, with the drawings that belong to it.
 */
#ifndef REPORT_HTML_PAGE_SHEET_H
#define REPORT_HTML_PAGE_SHEET_H

#include <stdio.h>

#include "formats/model/call_tree.h"
#include "report/sheet.h"
#include "softlbr/error.h"

/* The whole file; @title is text; @calls are drawn as a flame graph, NULL or empty: none. 0 or a
 * negative code, errors of the stream are the caller's. */
int page_sheet_write(const struct sheet *s, const struct sheet_style *style, const char *title,
		     const struct call_tree *calls, FILE *out, struct softlbr_error *e);

/* Parts of it, for pages that have more than a sheet. Links lead to the tables' sections; what puts
 * tables returns -1 without memory. */
void page_sheet_put_facts(const struct sheet *s, const struct sheet_style *style, FILE *out);
void page_sheet_put_links(const struct sheet *s, FILE *out);
int page_sheet_put_tables(const struct sheet *s, const struct sheet_style *style, FILE *out);

#endif
