/* SPDX-License-Identifier: MIT */
/* Where a recorded program goes, as a document: a summary, and a table or more for each view. */
#pragma once

#include "converter/elf/debug_search.h"
#include "converter/pipeline/conversion.h"
#include "formats/profile_kind.h"
#include "formats/model/call_tree.h"
#include "report/document.h"
#include "softlbr/error.h"

enum report_view {
	REPORT_SUMMARY,
	REPORT_BRANCHES,
	REPORT_PROBABILITY,
	REPORT_MISPREDICTION,
	REPORT_LATENCY,
	REPORT_PATHS,
	REPORT_STACKS,
	REPORT_SOURCE,
	REPORT_ASSEMBLY,
	REPORT_EVENTS,
	REPORT_GRAPH,
	REPORT_VIEWS
};

/* A line of source; the file by its base name. */
struct report_line {
	const char *file;
	int32_t line;
};

/* What is one row: a branch instruction, a line of source, a function. */
enum report_group { REPORT_BY_BRANCH, REPORT_BY_LINE, REPORT_BY_FUNCTION, REPORT_GROUPS };

struct report_options {
	const char *path;
	const char *binary_path;	   /* a file, or a module's name; NULL = all modules */
	enum profile_kind kind;		   /* PROFILE_UNKNOWN = by content */
	const struct debug_search *search; /* may be NULL */
	enum frequencies frequencies;	   /* what branches are counted by */
	unsigned views;			   /* 1 << enum report_view; 0 = the first look's */
	enum report_group group;
	/* Filled with the call tree, zeroed before, to be ended by call_tree_deinit also on
	 * failure; NULL = not asked for */
	struct call_tree *tree;
	bool mangled; /* names in call trees: as the linker has them */
	size_t top;   /* rows of a table; 0 = all */
	/* One place or one trace is reported instead of the usual views; no file, or 0: not */
	struct report_line before, after;
	uint64_t trace;	   /* its number, from 1 on */
	bool by_addresses; /* although files of the recording are not here */
	/* Annotated: one function, or the hottest; with the text of source below a directory */
	const char *function, *source_directory; /* may be NULL */
	struct aggregate_progress progress;
};

/* "branches"; for REPORT_VIEWS NULL. */
const char *report_view_name(enum report_view view);

/*
 * @out is initialised by the call, to be ended with document_deinit also on failure. 0 or a
 * negative code: a recording without branches is SOFTLBR_E_EMPTY, one of another binary
 * SOFTLBR_E_BINARY. What is reported though files are not here says so in a fact "warning".
 */
int report_make(struct document *out, const struct report_options *options,
		struct softlbr_error *e);
