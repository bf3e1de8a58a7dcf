/* SPDX-License-Identifier: MIT */
/* What commands show, on standard output. */
#ifndef CLI_SHEET_OUTPUT_H
#define CLI_SHEET_OUTPUT_H

#include <stdbool.h>

#include "formats/model/call_tree.h"
#include "report/sheet.h"

enum cli_sheet_format { CLI_SHEET_TEXT, CLI_SHEET_JSON, CLI_SHEET_CSV };

/* 0 or a negative code: the disk may be full. */
int cli_sheet_print(const struct sheet *sheet, enum cli_sheet_format format, bool mangled,
		    struct softlbr_error *e);

/* The sheet as a page with this title, and a flame graph of @calls (may be NULL), into a file; "-"
 * is standard output. 0 or a negative code. */
int cli_sheet_save_page(const struct sheet *sheet, const char *title, const struct call_tree *calls,
			const char *path, bool mangled, struct softlbr_error *e);

#endif
