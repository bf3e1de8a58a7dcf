/* SPDX-License-Identifier: MIT */
/*
 * Keeps a command from destroying files: what it writes must be nothing that it reads, nothing that
 * it writes under another name, and no file of another kind. Tell it all inputs and all outputs
 * before anything is written or run.
 *
 * Files are the same by device and inode, whatever their names; one that is not there yet is known
 * by its directory and name. Standard input ("-"), devices, pipes and sockets are never compared.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/vector.h"
#include "softlbr/error.h"

struct file_guard_entry {
	char *path;
	dev_t device;
	ino_t inode;
	const char *name; /* of what is not there, in that directory; else "" */
	bool input;
};

struct file_guard {
	VECTOR(struct file_guard_entry) files;
};

/* What a file of some kind looks like. */
struct file_guard_kind {
	const char *name; /* "gcov", "an SVG image" */
	bool (*is)(const struct file_guard_kind *kind, const uint8_t *data, size_t size);
	int number; /* @is may use it */
};

/* NULL is none. SOFTLBR_E_USAGE for one that was told as an output: inputs may be found late. */
int file_guard_input(struct file_guard *g, const char *path, struct softlbr_error *e);
/* SOFTLBR_E_USAGE for a file that was told before. A directory is no output (SOFTLBR_E_SYSTEM). */
int file_guard_output(struct file_guard *g, const char *path, struct softlbr_error *e);
/* SOFTLBR_E_USAGE if there is a file at @path that is neither empty nor of @kind. */
int file_guard_replace(const char *path, const struct file_guard_kind *kind,
		       struct softlbr_error *e);
void file_guard_deinit(struct file_guard *g);
