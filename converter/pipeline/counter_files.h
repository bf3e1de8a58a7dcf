/* SPDX-License-Identifier: MIT */
/* Writing counters for gcc, a file for each object below a directory; adding up such directories.
 */
#pragma once

#include "base/file_guard.h"
#include "base/file_output.h"
#include "converter/gcc/files/counter_directory.h"
#include "softlbr/error.h"

/*
 * Begin the file @name below @directory, with the directories that it is in, to be written to *out
 * and ended with file_outputs_finish. @guard, which may be NULL, has what must not be written over;
 * without @force no file of another kind is.
 */
int counter_files_open(const char *directory, const char *name, struct file_guard *guard,
		       bool force, struct file_outputs *to, FILE **out, struct softlbr_error *e);
/* Write @d: below the directory @path, which is made, all files appear together; or, if it is a
 * file, to @path. Without @force, a directory that has .gcda files of other objects is refused. */
int counter_files_write(const struct counter_directory *d, const char *path, bool force,
			struct softlbr_error *e);

/* ---- sums (counter_sum.c) ------------------------------------------------------------------- */

struct counter_sum {
	struct counter_directory directory;
	uint64_t runs, sum_max; /* of all that was added */
	size_t added;
};

/* Add @from, each count times @weight. @keys: for names, or NULL, as counter_keys_open has it.
 * Directories and files can't be added to each other. After an error the sum is of no more use. */
int counter_sum_add(struct counter_sum *sum, const struct counter_directory *from, uint64_t weight,
		    const char *keys, struct softlbr_error *e);
void counter_sum_deinit(struct counter_sum *sum);
