/* SPDX-License-Identifier: MIT */
#include "base/mapped_files.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vector.h"

struct mapped_file {
	const void *data;
	char *path;
	dev_t device;
	ino_t inode;
	off_t bytes;
};

static struct {
	pthread_mutex_t lock;
	VECTOR(struct mapped_file) list;
	char shorter[PATH_MAX]; /* one that was removed, and has not been told of */
} mapped = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A file that has another name now, or none, is what it was. */
static bool is_shorter(const struct mapped_file *m)
{
	struct stat st;

	return !stat(m->path, &st) && st.st_dev == m->device && st.st_ino == m->inode &&
	       st.st_size < m->bytes;
}

int mapped_files_add(const void *data, const char *path, const struct stat *st,
		     struct softlbr_error *e)
{
	char *copy = memory_copy_string(path);
	struct mapped_file *m;

	pthread_mutex_lock(&mapped.lock);
	m = copy ? vector_push(&mapped.list) : NULL;
	if (m)
		*m = (struct mapped_file){data, copy, st->st_dev, st->st_ino, st->st_size};
	pthread_mutex_unlock(&mapped.lock);
	if (m)
		return 0;
	memory_free(copy);
	return error_set_nomem(e);
}

void mapped_files_remove(const void *data)
{
	struct mapped_file *m;

	pthread_mutex_lock(&mapped.lock);
	vector_each (&mapped.list, m) {
		if (m->data != data)
			continue;
		if (is_shorter(m))
			snprintf(mapped.shorter, sizeof(mapped.shorter), "%s", m->path);
		memory_free(m->path);
		*m = mapped.list.items[--mapped.list.count];
		break;
	}
	if (!mapped.list.count)
		vector_deinit(&mapped.list);
	pthread_mutex_unlock(&mapped.lock);
}

static int set_shorter(struct softlbr_error *e, const char *path)
{
	return error_set(e, SOFTLBR_E_SYSTEM, path,
			 "%s became shorter while it was read; try again when nothing writes it",
			 path);
}

int mapped_files_check(struct softlbr_error *e)
{
	struct mapped_file *m;
	int rc = 0;

	pthread_mutex_lock(&mapped.lock);
	if (*mapped.shorter)
		rc = set_shorter(e, mapped.shorter);
	*mapped.shorter = 0;
	vector_each (&mapped.list, m)
		if (is_shorter(m))
			rc = set_shorter(e, m->path);
	pthread_mutex_unlock(&mapped.lock);
	return rc;
}
