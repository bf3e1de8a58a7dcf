/* SPDX-License-Identifier: MIT */
/*
 * Files that are written: they appear under their names when they are whole, or grow there; what is
 * not committed leaves nothing behind.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/vector.h"
#include "softlbr/error.h"

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
int file_output_open(struct file_output *o, const char *path, struct softlbr_error *e);
/* Open an output that its user alone can read (0600), whatever the umask: what a program did. */
int file_output_open_private(struct file_output *o, const char *path, struct softlbr_error *e);
/* Finish, unless that has been done, and rename. On failure the temporary file is gone and the old
 * file, if any, untouched. */
int file_output_commit(struct file_output *o, struct softlbr_error *e);
/* Give up: nothing is left behind. Fine after a commit. */
void file_output_abandon(struct file_output *o);
/* Commit if @rc is 0, else abandon; what came of both. */
int file_output_end(struct file_output *o, int rc, struct softlbr_error *e);

/* ---- several outputs ----------------------------------------------------------------------- */

/* Outputs that appear together: each is written to its temporary file, and none is renamed before
 * all are whole. */
struct file_outputs {
	VECTOR(struct file_output) list;
};

/* Begin the next one, whose stream is *stream until file_outputs_finish. */
int file_outputs_open(struct file_outputs *o, const char *path, FILE **stream,
		      struct softlbr_error *e);
/* The last one that was begun is written. On failure it is gone. */
int file_outputs_finish(struct file_outputs *o, struct softlbr_error *e);
/* Hand all over to @to; without memory they are gone. */
int file_outputs_hand_over(struct file_outputs *o, struct file_outputs *to,
			   struct softlbr_error *e);
/* Rename all, and forget them. On failure the others are gone. */
int file_outputs_commit(struct file_outputs *o, struct softlbr_error *e);
/* Give up those that were not committed; nothing is left behind. */
void file_outputs_abandon(struct file_outputs *o);

/* ---- an output that grows ------------------------------------------------------------------ */

/*
 * An output that appears under its name when its maker says so, and grows there: a recording can be
 * read while it is made, and when who made it was killed. It is its user's alone (0600, whatever
 * the umask). Until it appears it has another name in the same directory, that nobody knows before;
 * a link or a file that somebody puts in its place is never written through.
 */

/*
 * Begin @path: a descriptor, or negative. *temporary is its name so far, or NULL where it is
 * written in place (file_is_in_place), to be handed to one of the others.
 */
int file_growing_open(const char *path, char **temporary, struct softlbr_error *e);
/* Is there a file of this name, with some bytes, that would become @path.old? */
bool file_growing_has_old(const char *path);
/* The output gets its name; a file that was there, if it has any bytes, becomes @path.old. */
int file_growing_appear(const char *path, char *temporary, struct softlbr_error *e);
/* Remove the output: nothing is left behind. */
void file_growing_abandon(char *temporary);

/* ---- links --------------------------------------------------------------------------------- */

/* A symbolic link may stand where an output is to be: perf.data -> /big/disk/perf.data. */

/*
 * Where @path leads, to be freed with memory_free; NULL: @e. Only links of this user or of root are
 * followed: in a directory that others can write to, a link of theirs would have us write where
 * they can't. What is written in place (file_is_in_place) stays as it is.
 */
char *file_link_follow(const char *path, struct softlbr_error *e);

/* ---- signals ------------------------------------------------------------------------------- */

/*
 * From now on, signals that end this program (the user's ^C, or the reader of its output that has
 * gone) remove the temporary files that it has made first. Without this call nothing is done about
 * signals, which in a library are the program's own. For one thread at a time.
 */
void file_temporaries_remove_on_signals(void);
/* Remove them now, in a handler: unlink(2) is safe in one. */
void file_temporaries_remove(void);
