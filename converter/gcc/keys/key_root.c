/* SPDX-License-Identifier: MIT */
/* Where all keys are of one build directory, their names do without it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_tree.h"
#include "base/memory.h"
#include "converter/gcc/files/key_directory.h"
#include "converter/gcc/keys/key_build.h"

/* gcc's, for a / in a path */
#define SEPARATOR '#'

static bool is_of_object(const char *name)
{
	return file_name_ends(name, ".gcno") || file_name_ends(name, KEY_DIRECTORY_DUMP);
}

/* Bytes of the directories that all names begin with. */
static size_t common_length(const struct file_tree *files)
{
	const char *first = files->paths.items[0], *last = strrchr(first, SEPARATOR);
	size_t length = last ? (size_t)(last - first) + 1 : 0;

	for (size_t i = 1; i < files->paths.count && length; i++) {
		const char *name = files->paths.items[i];

		while (length && (strncmp(name, first, length) || first[length - 1] != SEPARATOR))
			length--;
	}
	return length;
}

/* What CMake, ninja and configure leave where a project is built. */
static bool is_build_directory(const char *path)
{
	static const char *const files[] = {"CMakeCache.txt", "build.ninja", "config.status"};
	bool is = false;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !is; i++) {
		char *file = memory_format("%s/%s", path, files[i]);

		is = file && !access(file, F_OK);
		memory_free(file);
	}
	return is;
}

/* The outermost build directory that @name, up to @common, is in: NULL: none, or no memory.
 * *@length is what names do without. */
static char *find_build(const char *root, const char *name, size_t common, size_t *length)
{
	char *path = memory_format("%s/%.*s", root, (int)common, name);
	const size_t above = strlen(root);

	for (char *c = path ? path + above : NULL; c && *c; c++) {
		if (*c != '/' && *c != SEPARATOR)
			continue;
		*c = 0;
		if (is_build_directory(path)) {
			*length = (size_t)(c - path) - above;
			if (*length)
				return path;
			break; /* the root itself */
		}
		*c = '/';
	}
	memory_free(path);
	return NULL;
}

static int shorten_names(const char *directory, const struct file_tree *files, size_t length,
			 struct softlbr_error *e)
{
	int rc = 0;

	for (size_t i = 0; i < files->paths.count && !rc; i++) {
		const char *name = files->paths.items[i];
		char *from = memory_format("%s/%s", directory, name);
		char *to = memory_format("%s/%s", directory, name + length);

		if (!from || !to)
			rc = error_set_nomem(e);
		else if (rename(from, to))
			rc = error_set_errno(e, from, "cannot rename %s to %s", from, to);
		memory_free(from);
		memory_free(to);
	}
	return rc;
}

int key_root_narrow(struct key_build *b, char **narrow, struct softlbr_error *e)
{
	struct file_tree files;
	int rc = file_tree_list(&files, b->directory, is_of_object, e);
	size_t common = !rc && files.paths.count ? common_length(&files) : 0, length;

	*narrow = common ? find_build(b->root, files.paths.items[0], common, &length) : NULL;
	if (*narrow) {
		b->root = *narrow;
		rc = shorten_names(b->directory, &files, length, e) ?: key_build_write_note(b, e);
	}
	file_tree_deinit(&files);
	return rc;
}
