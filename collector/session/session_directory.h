/* SPDX-License-Identifier: MIT */
/* Where sessions have their directories: PREFIX and more, in the first place that has room. */
#ifndef COLLECTOR_SESSION_SESSION_DIRECTORY_H
#define COLLECTOR_SESSION_SESSION_DIRECTORY_H

#include "softlbr/error.h"

#define SESSION_DIRECTORY_PLACES 2u
#define SESSION_DIRECTORY_PREFIX "softlbr-"
#define SESSION_DIRECTORY_BYTES	 64u /* of its path, at most */

const char *session_directory_place(unsigned i);
/* Make one; @path is empty if none could be made. */
int session_directory_make(char path[SESSION_DIRECTORY_BYTES], struct softlbr_error *e);
/* Unlink the files in an open directory. */
void session_directory_empty(int directory);
/* Remove it, with its files; fine with an empty @path. */
void session_directory_remove(const char *path);

#endif
