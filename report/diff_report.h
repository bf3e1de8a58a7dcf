/* SPDX-License-Identifier: MIT */
/* Views of a comparison (compare/diff.h). */
#pragma once

#include <stdio.h>

#include "compare/diff.h"
#include "report/document.h"
#include "softlbr/error.h"

/* For people; at most @top functions. */
void diff_text_report(const struct diff *d, size_t top, const struct document_style *style,
		      FILE *stream);
/* For programs: softlbr-diff(1) has the members. Here and below errors of the stream are the
 * caller's to look for. */
int diff_json_report(const struct diff *d, size_t top, const struct document_style *style,
		     FILE *stream, struct softlbr_error *e);

/* A page; with annotated source of the files found below @source_root (may be
 * NULL), if there is debug information. Long names are whole where the pointer rests on them. */
int diff_html_report(const struct diff *d, size_t top, const struct document_style *style,
		     const char *source_root, FILE *stream, struct softlbr_error *e);
