/* SPDX-License-Identifier: MIT */
/* Which files there are below a directory. */
#pragma once

#include <stdbool.h>

#include "base/vector.h"
#include "softlbr/error.h"

struct file_tree {
	VECTOR(char *) paths; /* from the directory on, ascending */
};

/* Does @name end with @suffix, and begin with something else? */
bool file_name_ends(const char *name, const char *suffix);
/* List the files below @path whose names are @wanted (NULL: all). @t is initialised by the call, to
 * be ended with file_tree_deinit also on failure. */
int file_tree_list(struct file_tree *t, const char *path, bool (*wanted)(const char *name),
		   struct softlbr_error *e);
void file_tree_deinit(struct file_tree *t);
