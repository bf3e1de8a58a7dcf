/* SPDX-License-Identifier: MIT */
/* Symbolic links that stand where an output is to be: perf.data -> /big/disk/perf.data. */
#ifndef BASE_FILE_LINK_H
#define BASE_FILE_LINK_H

#include "softlbr/error.h"

/*
 * Where @path leads, to be freed with memory_free; NULL: @e. Only links of this user or of root are
 * followed: in a directory that others can write to, a link of theirs would have us write where
 * they can't. What is written in place (file_is_in_place) stays as it is.
 */
char *file_link_follow(const char *path, struct softlbr_error *e);

#endif
