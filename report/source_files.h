/* SPDX-License-Identifier: MIT */
/* Source files on disk. Of those that debug information names only base names are known. */
#ifndef REPORT_SOURCE_FILES_H
#define REPORT_SOURCE_FILES_H

#include "base/strings.h"
#include "base/vector.h"
#include "softlbr/error.h"

#define SOURCE_LINE_BYTES_MAX 200

struct source_files {
	struct strings *names; /* base names */
	VECTOR(char *) paths;  /* by a name's number; NULL: not found */
};

/* 0, or -1 without memory. */
int source_files_init(struct source_files *f);
void source_files_deinit(struct source_files *f);
/* Look for all that are named below @root: of several of one name the first in order. */
int source_files_find(struct source_files *f, const char *root, struct softlbr_error *e);
/* A line of text as it is shown: blanks for tabs, and not too long. @out has room for
 * SOURCE_LINE_BYTES_MAX + 1. */
void source_files_line(char *out, const char *text, size_t length);

#endif
