/* SPDX-License-Identifier: MIT */
#include "base/file_link.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

/* As many as the kernel follows (path_resolution(7)). */
#define LINKS_MOST 40u

/* 1: @path became what it leads to; 0: it is no link; negative: @e. */
static int step(char path[PATH_MAX], struct softlbr_error *e)
{
	char target[PATH_MAX], parent[PATH_MAX];
	struct stat st;
	ssize_t length;
	int bytes;

	if (lstat(path, &st) || !S_ISLNK(st.st_mode))
		return 0;
	if (st.st_uid != geteuid() && st.st_uid)
		return error_set(e, SOFTLBR_E_USAGE, path,
				 "%s is a symbolic link of another user: it is not followed; "
				 "write to another file",
				 path);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return error_set_errno(e, path, "cannot read the link %s", path);
	target[length] = 0;
	snprintf(parent, sizeof(parent), "%.*s",
		 *target == '/' ? 0 : (int)(file_base_name(path) - path), path);
	bytes = snprintf(path, PATH_MAX, "%s%s", parent, target);
	if (bytes < PATH_MAX)
		return 1;
	errno = ENAMETOOLONG;
	return error_set_errno(e, target, "cannot follow the link to %s", target);
}

char *file_link_follow(const char *path, struct softlbr_error *e)
{
	char at[PATH_MAX];
	int rc = 1;

	if (file_is_in_place(path) || strlen(path) >= sizeof(at)) {
		char *same = memory_copy_string(path);

		if (!same)
			error_set_nomem(e);
		return same;
	}
	strcpy(at, path);
	for (unsigned i = 0; rc == 1 && i < LINKS_MOST; i++)
		rc = step(at, e);
	if (rc == 1) {
		errno = ELOOP;
		rc = error_set_errno(e, path, "cannot follow the link %s", path);
	}
	if (rc)
		return NULL;
	path = memory_copy_string(at);
	if (!path)
		error_set_nomem(e);
	return (char *)path;
}
