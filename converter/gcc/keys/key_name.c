/* SPDX-License-Identifier: MIT */
#include "converter/gcc/keys/key_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* "a/../b" is "a#^#b". */
static void mangle(char *path)
{
	char *to = path;

	while (*path) {
		size_t length = strcspn(path, "/");
		bool up = length == 2 && path[0] == '.' && path[1] == '.';

		if (up)
			*to++ = '^';
		else
			memmove(to, path, length), to += length;
		path += length;
		if (*path) {
			*to++ = '#';
			path++;
		}
	}
	*to = 0;
}

/* What @root takes away, by its letters alone. */
static const char *below(const char *path, const char *root)
{
	size_t length = strlen(root);

	if (!strncmp(path, root, length))
		for (path += length; *path == '/'; path++)
			;
	return path;
}

char *key_name(const char *directory, const char *output, const char *root)
{
	size_t bytes = strlen(directory) + strlen(output) + 2;
	char *whole, *name;

	if (*output == '/') {
		while (*output == '/')
			output++;
		return memory_copy_string(output);
	}
	whole = memory_alloc(bytes);
	if (!whole)
		return NULL;
	snprintf(whole, bytes, "%s/%s", directory, output);
	name = memory_copy_string(below(whole, root));
	memory_free(whole);
	if (name)
		mangle(name);
	return name;
}

char *key_name_output(const char *dumpdir, const char *dumpbase, const char *extension)
{
	size_t length = strlen(dumpbase), cut = extension ? strlen(extension) : 0;
	size_t bytes = length + (dumpdir ? strlen(dumpdir) : 0) + 1;
	char *name = memory_alloc(bytes);

	if (cut >= length || (cut && strcmp(dumpbase + length - cut, extension)))
		cut = 0;
	if (name)
		snprintf(name, bytes, "%s%.*s", dumpdir && !strchr(dumpbase, '/') ? dumpdir : "",
			 (int)(length - cut), dumpbase);
	return name;
}

char *key_name_directory(void)
{
	const char *called = getenv("PWD");
	struct stat a, b;
	char *real, *copy;

	if (called && *called == '/' && !stat(called, &a) && !stat(".", &b) &&
	    a.st_ino == b.st_ino && a.st_dev == b.st_dev)
		return memory_copy_string(called);
	real = getcwd(NULL, 0);
	copy = real ? memory_copy_string(real) : NULL;
	free(real);
	return copy;
}
