/* SPDX-License-Identifier: MIT */
/* Whole files in, whole files out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
/*
 * The door for files that nobody named, and somebody else may have put where they are looked for
 * (/tmp/perf-PID.map, debug files): what is no regular file is not there, nothing is waited for,
 * and in a folder where everyone can make files it, or the link to it, is root's or our own.
 * The descriptor, or -1 with errno.
 */
int file_open_found(const char *path);
/* The same as file_view_open. */
int file_view_open_found(struct file_view *v, const char *path, struct softlbr_error *e);
/* Is what is at @path another user's, in a folder where everyone can make files? */
bool file_is_planted(const char *path);
void file_view_close(struct file_view *v);

/* An unnamed temporary file for what @path gives; its descriptor, or -1. */
int file_spool_open(const char *path, struct softlbr_error *e);
/* View a spool, which is closed in any case. */
int file_view_take(struct file_view *v, int spool, const char *path, struct softlbr_error *e);
