/* SPDX-License-Identifier: MIT */
/* Histograms as SVG, each with axes, units, and a sentence that says what to see. */
#ifndef REPORT_HTML_PAGE_HISTOGRAM_H
#define REPORT_HTML_PAGE_HISTOGRAM_H

#include <stdio.h>

#include "report/document.h"

/* Draw a table as DOCUMENT_HISTOGRAM says. */
void page_histogram_put(const struct document *s, const struct document_table *t, bool mangled,
			FILE *out);

#endif
