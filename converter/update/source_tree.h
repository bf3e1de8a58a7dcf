/* SPDX-License-Identifier: MIT */
/* The C and C++ files of a directory of sources, and the functions that they define. */
#pragma once

#include "base/file.h"
#include "formats/unified_diff.h"
#include "softlbr/error.h"
#include "converter/update/c_functions.h"

struct source_tree_file {
	char *path; /* from the directory on */
	struct text text;
	struct file_view view;
	char *made; /* the text, where it was made by a diff; else NULL */
};

struct source_tree {
	VECTOR(struct source_tree_file) files; /* ascending by path */
	struct c_functions functions;	       /* their files are numbers in @files */
};

/* @t is zeroed, ended with source_tree_deinit also on failure. 0 or a negative code. */
int source_tree_read(struct source_tree *t, const char *directory, struct strings *strings,
		     struct softlbr_error *e);
/* @t becomes what @diff makes of @from, which must live longer; with @reverse what it was made of.
 * Errors: what the diff says of a file does not fit it (INPUT). */
int source_tree_patch(struct source_tree *t, const struct source_tree *from,
		      const struct unified_diff *diff, bool reverse, struct strings *strings,
		      struct softlbr_error *e);
void source_tree_deinit(struct source_tree *t);
