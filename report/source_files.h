/* SPDX-License-Identifier: MIT */
/* Source files on disk. Of those that debug information names only base names are known. */
#pragma once

#include <stdbool.h>

#include "base/strings.h"
#include "base/vector.h"
#include "softlbr/error.h"

enum { SOURCE_LINE_BYTES_MAX = 200 };

struct source_files {
	struct strings *names; /* base names */
	VECTOR(char *) paths;  /* by a name's number; NULL: not found */
};

/* 0, or -1 without memory. */
int source_files_init(struct source_files *f);
void source_files_deinit(struct source_files *f);
/* Look for all that are named below @root: of several of one name the first in order. */
int source_files_find(struct source_files *f, const char *root, struct softlbr_error *e);

/* What is shown of a file: the lines that are wanted, and two before and behind each. */
struct source_lines {
	bool (*is_wanted)(void *context, uint64_t line);
	/* @text has blanks for tabs, and at most SOURCE_LINE_BYTES_MAX bytes. */
	void (*put)(void *context, uint64_t line, const char *text);
	void *context;
};

/* Put lines of the file at @path, in order. 0, or the error of reading it. */
int source_lines_put(const struct source_lines *l, const char *path, struct softlbr_error *e);
