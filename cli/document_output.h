/* SPDX-License-Identifier: MIT */
/* What commands show, on standard output. */
#ifndef CLI_DOCUMENT_OUTPUT_H
#define CLI_DOCUMENT_OUTPUT_H

#include <stdbool.h>

#include "formats/model/call_tree.h"
#include "report/document.h"

enum cli_document_format { CLI_DOCUMENT_TEXT, CLI_DOCUMENT_JSON, CLI_DOCUMENT_CSV };

/* 0 or a negative code: the disk may be full. */
int cli_document_print(const struct document *document, enum cli_document_format format,
		       bool mangled, struct softlbr_error *e);

/* The document as a page with this title, and a flame graph of @calls (may be NULL), into a file;
 * "-" is standard output. 0 or a negative code. */
int cli_document_save_page(const struct document *document, const char *title,
			   const struct call_tree *calls, const char *path, bool mangled,
			   struct softlbr_error *e);

#endif
