/* SPDX-License-Identifier: MIT */
/* Data in a page that its script draws: JSON in a script element that is not run. */
#ifndef REPORT_HTML_PAGE_DATA_H
#define REPORT_HTML_PAGE_DATA_H

#include <stdio.h>

#include "report/document.h"

/* A text as JSON has it, in such an element. */
void page_data_put_text(const char *text, FILE *out);
/* The element's id is "data-" and the table's key; its value is {"columns": [key...], "rows":
 * [[value...]...]}: shares from 0 to 1, addresses as text, null for what is not known. */
void page_data_put_table(const struct document *s, const struct document_table *t, bool mangled,
			 FILE *out);

#endif
