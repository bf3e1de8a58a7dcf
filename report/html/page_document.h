/* SPDX-License-Identifier: MIT */
/* A document as a page: its facts, and a section for each table, with the drawings that belong to
 * it.
 */
#pragma once

#include <stdio.h>

#include "formats/model/call_tree.h"
#include "report/document.h"
#include "softlbr/error.h"

/* The whole file; @title is text; @calls are drawn as a flame graph, NULL or empty: none. 0 or a
 * negative code, errors of the stream are the caller's. */
int page_document_write(const struct document *s, const struct document_style *style,
			const char *title, const struct call_tree *calls, FILE *out,
			struct softlbr_error *e);

/* Parts of it, for pages that have more than a document. Links lead to the tables' sections; what
 * puts tables returns -1 without memory. */
void page_document_put_facts(const struct document *s, const struct document_style *style,
			     FILE *out);
void page_document_put_links(const struct document *s, FILE *out);
int page_document_put_tables(const struct document *s, const struct document_style *style,
			     FILE *out);
