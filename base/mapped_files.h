/* SPDX-License-Identifier: MIT */
/*
 * Files that are mapped, and may become shorter while they are read. Between a file's new end and
 * the end of its page the kernel gives zeros: what was made of them is an error, with the file's
 * name. Behind that page it sends SIGBUS, which is the program's matter (cli/missing_page.h).
 */
#pragma once

#include <stddef.h>
#include <sys/stat.h>

#include "softlbr/error.h"

/* @data is mapped from the file at @path, which fstat(2) said @st of. */
int mapped_files_add(const void *data, const char *path, const struct stat *st,
		     struct softlbr_error *e);
/* It is about to be unmapped. Nothing happens where it was not added. */
void mapped_files_remove(const void *data);
/* Is each of them, and each that was removed since the last call, at least as long as it was? */
int mapped_files_check(struct softlbr_error *e);
