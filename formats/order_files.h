/* SPDX-License-Identifier: MIT */
/*
 * What linkers read to place functions, in lines of text; '#' begins a comment.
 *
 *	order		NAME			ld.lld --symbol-ordering-file
 *	call-graph	CALLER CALLEE TIMES	ld.lld --call-graph-ordering-file
 *	gold-sections	SECTION			ld.gold --section-ordering-file
 *
 * Names are ELF symbols. A section is .text.NAME, and what gcc puts before the name of one that it
 * knows to be hot, cold, or of the program's start: which one a function is in, the linker knows.
 */
#pragma once

#include <stdio.h>

#include "base/file_guard.h"
#include "formats/model/function_graph.h"
#include "softlbr/error.h"

/* Write all functions of @g in that @order, or all calls, which have none. 0, or an error:
 * SOFTLBR_E_EMPTY if there are none. The stream's own errors are the caller's to look for. */
int order_files_write_names(const struct function_graph *g, const uint32_t *order, FILE *out,
			    struct softlbr_error *e);
int order_files_write_sections(const struct function_graph *g, const uint32_t *order, FILE *out,
			       struct softlbr_error *e);
int order_files_write_calls(const struct function_graph *g, const uint32_t *order, FILE *out,
			    struct softlbr_error *e);
/* What they write over: files of their own. */
bool order_files_are(const struct file_guard_kind *kind, const uint8_t *data, size_t size);
