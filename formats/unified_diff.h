/* SPDX-License-Identifier: MIT */
/*
 * Unified diffs, as diff -u and git diff write them (POSIX, "diff", "Diff -u Output Format"; git's
 * extended headers "rename from" and "rename to"). Left out: binary patches, combined diffs.
 */
#pragma once

#include "base/text.h"
#include "base/vector.h"
#include "softlbr/error.h"

/* Lines of it begin with ' ', '-', '+' or '\'. */
struct unified_diff_hunk {
	uint64_t old_line, old_count, new_line, new_count; /* from 1 on; of none the one before */
	struct text lines;
	uint64_t where; /* its line in the diff */
};

struct unified_diff_file {
	struct text old_path, new_path; /* empty: there is none (/dev/null) */
	bool renamed;			/* paths without git's a/ and b/ */
	size_t first, count;		/* hunks */
};

struct unified_diff {
	const char *name; /* for messages */
	VECTOR(struct unified_diff_file) files;
	VECTOR(struct unified_diff_hunk) hunks; /* of a file in the order of its lines */
};

/* @d is zeroed, borrows @text and @name, and is ended with unified_diff_deinit also on failure. 0
 * or a negative code: no diff, or one that was cut off (INPUT). */
int unified_diff_read(struct unified_diff *d, struct text text, const char *name,
		      struct softlbr_error *e);
void unified_diff_deinit(struct unified_diff *d);
/* Is @path, from the root of the sources on, that of a file of the diff? The first folder of the
 * diff's, as git's a/ and b/, may be missing. */
bool unified_diff_path_is(struct text of_diff, const char *path);
/* What the hunks of @file make of @text (with @reverse: what they were made from), NUL-terminated,
 * to be freed with memory_free; *size is its length. NULL: @e; what stands in the diff is not what
 * is in @text (INPUT). */
char *unified_diff_apply(const struct unified_diff *d, const struct unified_diff_file *file,
			 struct text text, bool reverse, size_t *size, struct softlbr_error *e);
