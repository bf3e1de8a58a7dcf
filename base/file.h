/* SPDX-License-Identifier: MIT */
/* Whole files in, whole files out. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "softlbr/error.h"

/* A file's bytes, mapped read-only (or read, where it can't be mapped: a pipe; much from a pipe is
 * spooled to an unnamed file in $TMPDIR or /var/tmp and mapped from there). */
struct file_view {
	const uint8_t *data;
	size_t size;
	bool mapped;
	bool borrowed; /* not freed by file_view_close */
};

/* What follows the last slash, borrowed from @path. */
const char *file_base_name(const char *path);

/* Make a directory to write files to, unless it is there; *made, which may be NULL: it was not. */
int file_directory_make(const char *path, unsigned mode, bool *made, struct softlbr_error *e);

int file_view_open(struct file_view *v, const char *path, struct softlbr_error *e);
void file_view_close(struct file_view *v);

/* An unnamed temporary file for what @path gives; its descriptor, or -1. */
int file_spool_open(const char *path, struct softlbr_error *e);
/* View a spool, which is closed in any case. */
int file_view_take(struct file_view *v, int spool, const char *path, struct softlbr_error *e);

/*
 * An output that appears under its name only when complete: written to a temporary file beside it,
 * then renamed, with the mode of the file that it replaces. "-" is standard output, a device or a
 * pipe is written in place. Write through `stream`; errors are collected and reported by
 * file_output_commit.
 */
struct file_output {
	FILE *stream;
	char *path;
	char *temporary; /* NULL when written in place */
};

/* Devices, pipes and the like cannot be replaced by renaming, nor a link to what is open
 * (/dev/stdout, /proc/self/fd/1). */
bool file_is_in_place(const char *path);
/* Make a new file of @mode, which follows no link, beside @path for it to be renamed to; its
 * descriptor, or a negative code. *temporary is its name, the caller's: freed after
 * temporaries_forget. NULL on failure. */
int file_temporary_make(const char *path, unsigned mode, char **temporary, struct softlbr_error *e);
int file_output_open(struct file_output *o, const char *path, struct softlbr_error *e);
/* Of what a program did: for its user alone (0600), whatever the umask. */
int file_output_open_private(struct file_output *o, const char *path, struct softlbr_error *e);
/* Flush, check and close; the temporary file stays. On failure as file_output_commit. */
int file_output_finish(struct file_output *o, struct softlbr_error *e);
/* Finish, unless that has been done, and rename. On failure the temporary file is gone and the old
 * file, if any, untouched. */
int file_output_commit(struct file_output *o, struct softlbr_error *e);
/* Give up: nothing is left behind. Fine after a commit. */
void file_output_abandon(struct file_output *o);
/* Commit if @rc is 0, else abandon; what came of both. */
int file_output_end(struct file_output *o, int rc, struct softlbr_error *e);

#endif
