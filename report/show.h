/* SPDX-License-Identifier: MIT */
/*
 * What is in a profile or a recording, as a document: its facts, and tables of its functions,
 * source lines, calls, branches, ranges and modules.
 *
 * Recordings and texts of addresses say more with their binary; profiles of source say absolute
 * lines with it.
 */
#pragma once

#include "converter/elf/debug_search.h"
#include "converter/pipeline/conversion.h"
#include "formats/profile_kind.h"
#include "report/document.h"
#include "softlbr/error.h"

enum show_section {
	SHOW_FUNCTIONS,
	SHOW_LINES,
	SHOW_CALLS,
	SHOW_BRANCHES,
	SHOW_RANGES,
	SHOW_MODULES,
	SHOW_VALUES,
	SHOW_ARGUMENTS,
	SHOW_SECTIONS
};

struct show_options {
	const char *path;
	const char *binary_path;	   /* may be NULL */
	const char *keys_path;		   /* of counters; may be NULL */
	enum profile_kind kind;		   /* PROFILE_UNKNOWN = by content */
	const struct debug_search *search; /* may be NULL */
	unsigned sections;		   /* 1 << enum show_section; 0 = what fits the file */
	size_t top;			   /* rows of a table; 0 = all */
	const char *function;		   /* with the tree of this function's counts, or NULL */
	const char *source_directory;	   /* with annotated source from below it, or NULL */
	struct aggregate_progress progress;
};

/* "functions"; for SHOW_SECTIONS NULL. */
const char *show_section_name(enum show_section section);

/* @out is initialised by the call, to be ended with document_deinit also on failure. An empty
 * profile is one: SOFTLBR_E_EMPTY; so is a recording most of which is of files that are other
 * builds now: SOFTLBR_E_BINARY. Both are shown as far as they can be. */
int show_make(struct document *out, const struct show_options *options, struct softlbr_error *e);
