/* SPDX-License-Identifier: MIT */
#include "base/file_guard.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

/* The directory that @path is in. */
static int stat_parent(const char *path, struct stat *st)
{
	char parent[PATH_MAX];
	int length = (int)(file_base_name(path) - path);

	snprintf(parent, sizeof(parent), "%.*s", length, path);
	return stat(length ? parent : ".", st);
}

/* False for what is never compared. */
static bool identify(const char *path, struct file_guard_entry *entry)
{
	struct stat st;

	*entry = (struct file_guard_entry){.name = ""};
	if (!path)
		return false;
	if (!strcmp(path, "-")) {
		entry->name = path; /* in no directory: standard output is one, too */
		return true;
	}
	if (stat(path, &st)) {
		if (errno != ENOENT || stat_parent(path, &st))
			return false; /* opening it will say why */
		entry->name = file_base_name(path);
	} else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		return false;
	}
	entry->device = st.st_dev;
	entry->inode = st.st_ino;
	return true;
}

/* Keep a copy of @entry, for @path. */
static int keep_entry(struct file_guard *g, const struct file_guard_entry *entry, const char *path,
		      struct softlbr_error *e)
{
	struct file_guard_entry *slot = vector_push(&g->files);
	char *copy = memory_copy_string(path);

	if (!slot || !copy) {
		memory_free(copy);
		return error_set_nomem(e);
	}
	*slot = *entry;
	slot->path = copy;
	if (*entry->name)
		slot->name = file_base_name(copy);
	return 0;
}

static bool is_same(const struct file_guard_entry *a, const struct file_guard_entry *b)
{
	return a->device == b->device && a->inode == b->inode && !strcmp(a->name, b->name);
}

/* Is it in a directory that is read, such as perf record --threads makes? */
static bool is_in(const char *path, const struct file_guard_entry *directory)
{
	struct stat st;

	return directory->input && !*directory->name && !access(path, F_OK) &&
	       !stat_parent(path, &st) && st.st_dev == directory->device &&
	       st.st_ino == directory->inode;
}

static int refuse_twice(const char *path, const char *other, struct softlbr_error *e)
{
	if (!strcmp(path, other))
		return error_set(e, SOFTLBR_E_USAGE, path, "two outputs cannot both be %s", path);
	return error_set(e, SOFTLBR_E_USAGE, path, "two outputs cannot both be one file: %s is %s",
			 path, other);
}

/* The output @path is @how @input. */
static int refuse_input(const char *path, const char *how, const char *input,
			struct softlbr_error *e)
{
	if (!strcmp(path, input))
		return error_set(e, SOFTLBR_E_USAGE, path,
				 "%s is an input: it is not overwritten; write to another file",
				 path);
	return error_set(e, SOFTLBR_E_USAGE, path,
			 "%s is %s the input %s: it is not overwritten; write to another file",
			 path, how, input);
}

int file_guard_input(struct file_guard *g, const char *path, struct softlbr_error *e)
{
	struct file_guard_entry entry, *other;

	if (!identify(path, &entry) || !entry.inode)
		return 0;
	vector_each (&g->files, other)
		if (!other->input && is_same(&entry, other))
			return refuse_input(other->path, "the same file as", path, e);
	entry.input = true;
	return keep_entry(g, &entry, path, e);
}

static int check_output(const char *path, const struct file_guard_entry *entry,
			const struct file_guard_entry *other, struct softlbr_error *e)
{
	if (is_same(entry, other))
		return other->input ? refuse_input(path, "the same file as", other->path, e)
				    : refuse_twice(path, other->path, e);
	return is_in(path, other) ? refuse_input(path, "a part of", other->path, e) : 0;
}

int file_guard_output(struct file_guard *g, const char *path, struct softlbr_error *e)
{
	struct file_guard_entry entry, *other;
	struct stat st;
	int rc = 0;

	if (!identify(path, &entry))
		return 0;
	vector_each (&g->files, other)
		if (!rc)
			rc = check_output(path, &entry, other, e);
	if (rc)
		return rc;
	if (entry.inode && !stat(path, &st) && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return error_set_errno(e, path, "cannot write %s", path);
	}
	return keep_entry(g, &entry, path, e);
}

int file_guard_replace(const char *path, const struct file_guard_kind *kind,
		       struct softlbr_error *e)
{
	struct file_view view;
	struct stat st;
	bool same;
	int rc;

	if (!path || !strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	rc = file_view_open(&view, path, e);
	if (rc)
		return rc;
	same = kind->is(kind, view.data, view.size);
	file_view_close(&view);
	if (same)
		return 0;
	return error_set(e, SOFTLBR_E_USAGE, path,
			 "%s exists and is not %s: it is not overwritten; write to another "
			 "file, or give --force",
			 path, kind->name);
}

void file_guard_deinit(struct file_guard *g)
{
	struct file_guard_entry *entry;

	vector_each (&g->files, entry)
		memory_free(entry->path);
	vector_deinit(&g->files);
}
