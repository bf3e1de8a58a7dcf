/* SPDX-License-Identifier: MIT */
#include "collector/inside/life/exec_search.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/inside/life/exec_access.h"
#include "collector/kernel/syscall.h"

/* Where there is no PATH: confstr(_CS_PATH). */
#define DEFAULT_PATH "/bin:/usr/bin"

static const char *search_path(void)
{
	for (char *const *at = environ; at && *at; at++)
		if (!strncmp(*at, "PATH=", 5))
			return *at + 5;
	return DEFAULT_PATH;
}

/* An empty directory is the current one. */
static bool join(const char *directory, size_t length, const char *file, char *path)
{
	size_t bytes = strlen(file) + 1;

	if (length + 1 + bytes > EXEC_SEARCH_BYTES)
		return false;
	memcpy(path, directory, length);
	if (length)
		path[length++] = '/';
	memcpy(path + length, file, bytes);
	return true;
}

static bool is_program(const char *path)
{
	struct stat st;

	return !syscall_6(SYS_newfstatat, (uint64_t)AT_FDCWD, (uintptr_t)path, (uintptr_t)&st, 0, 0,
			  0) &&
	       S_ISREG(st.st_mode) && !exec_access_try(path, X_OK);
}

const char *exec_search_find(const char *file, char path[EXEC_SEARCH_BYTES])
{
	const char *directory = search_path(), *end;

	if (strchr(file, '/') || !*file)
		return *file ? file : NULL;
	for (;; directory = end + 1) {
		end = strchr(directory, ':');
		if (join(directory, end ? (size_t)(end - directory) : strlen(directory), file,
			 path) &&
		    is_program(path))
			return path;
		if (!end)
			return NULL;
	}
}
