/* SPDX-License-Identifier: MIT */
/* What `softlbr check` and `softlbr diff` found, as documents and pages. */
#pragma once

#include <stdio.h>

#include "compare/check.h"
#include "compare/diff.h"
#include "report/document.h"
#include "softlbr/error.h"

/* Fill @out, which is initialised by the call; at most @top rows a table. */
void check_report_fill(const struct check *c, size_t top, struct document *out);

/* A comparison for people; at most @top functions. */
void diff_text_report(const struct diff *d, size_t top, const struct document_style *style,
		      FILE *stream);
/* For programs: softlbr-diff(1) has the members. Here and below errors of the stream are the
 * caller's to look for. */
int diff_json_report(const struct diff *d, size_t top, const struct document_style *style,
		     FILE *stream, struct softlbr_error *e);

/* A page; with annotated source of the files found below @source_root (may be NULL), if there is
 * debug information. Long names are whole where the pointer rests on them. */
int diff_html_report(const struct diff *d, size_t top, const struct document_style *style,
		     const char *source_root, FILE *stream, struct softlbr_error *e);
