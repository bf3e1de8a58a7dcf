/* SPDX-License-Identifier: MIT */
#include "base/installed.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static void cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = 0;
}

/* @name in @directory, relative to @own, which has no links in it: so ".." needs no look at it. */
static bool find_in(const char *own, const char *directory, const char *name, char path[PATH_MAX])
{
	size_t length;
	int more;

	snprintf(path, PATH_MAX, "%s", own);
	for (; !strncmp(directory, "../", 3); directory += 3)
		cut_last(path);
	length = strlen(path);
	more = snprintf(path + length, PATH_MAX - length, "/%s%s%s", directory,
			*directory ? "/" : "", name);
	return more >= 0 && (size_t)more < PATH_MAX - length && !access(path, F_OK);
}

int installed_find(const char *name, const char *directory, const char *advice, char path[PATH_MAX],
		   struct softlbr_error *e)
{
	char own[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (length < 0)
		return error_set(e, SOFTLBR_E_SYSTEM, NULL,
				 "/proc/self/exe: %s; is /proc mounted? softlbr needs it",
				 strerror(errno));
	own[length] = 0;
	cut_last(own);
	if (find_in(own, "", name, path) || find_in(own, directory, name, path))
		return 0;
	return error_set(e, SOFTLBR_E_SYSTEM, NULL, "cannot find %s in %s or %s/%s%s", name, own,
			 own, directory, advice);
}
