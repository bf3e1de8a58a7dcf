/* SPDX-License-Identifier: MIT */
/*
 * Where sessions have their directories: PREFIX and more, in the first place that has room. A
 * directory is its user's alone (mkdtemp(3): 0700, a name that nobody knows before). Who runs in it
 * may rename it, or put another thing in its place: it is opened only if it is the one that was
 * made.
 */
#pragma once

#include <sys/types.h>

#include "softlbr/error.h"

#define SESSION_DIRECTORY_PLACES 2u
#define SESSION_DIRECTORY_PREFIX "softlbr-"
#define SESSION_DIRECTORY_BYTES	 64u /* of its path, at most */

struct session_directory {
	char path[SESSION_DIRECTORY_BYTES]; /* empty: there is none */
	dev_t device;
	ino_t inode;
};

/* Make one; its path is empty if none could be made. */
int session_directory_make(struct session_directory *d, struct softlbr_error *e);
/* A descriptor, to be closed; -1 if it is not there any more. */
int session_directory_open(const struct session_directory *d);
/* Remove it, with its files; fine if there is none. */
void session_directory_remove(const struct session_directory *d);

/* Remove those of recorders that were killed, which gives their memory back: this user's, in the
 * places up to the one where @own is. Others are for those who find no room before them, and may
 * have names by the thousand. */
void session_directory_remove_orphans(const struct session_directory *own);
