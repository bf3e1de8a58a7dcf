/* SPDX-License-Identifier: MIT */
#include "base/file_tree.h"

#include <errno.h>
#include <fts.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"

bool file_name_ends(const char *name, const char *suffix)
{
	size_t length = strlen(name), n = strlen(suffix);

	return length > n && !strcmp(name + length - n, suffix);
}

static int add_file(struct file_tree *t, const char *path)
{
	char **slot = vector_push(&t->paths);

	if (slot)
		*slot = memory_copy_string(path);
	return slot && *slot ? 0 : -1;
}

static int tree_walk(struct file_tree *t, FTS *fts, const char *root, size_t above,
		     bool (*wanted)(const char *name), struct softlbr_error *e)
{
	int rc = 0;
	FTSENT *at;

	while (!rc && (errno = 0, at = fts_read(fts))) {
		if (at->fts_info == FTS_DNR || at->fts_info == FTS_ERR || at->fts_info == FTS_NS) {
			errno = at->fts_errno;
			return error_set_errno(e, at->fts_path, "cannot read %s", at->fts_path);
		}
		if (at->fts_info == FTS_F && (!wanted || wanted(at->fts_name)))
			rc = add_file(t, at->fts_path + above);
	}
	if (rc)
		return error_set_nomem(e);
	return errno ? error_set_errno(e, root, "cannot read %s", root) : 0;
}

int file_tree_list(struct file_tree *t, const char *path, bool (*wanted)(const char *name),
		   struct softlbr_error *e)
{
	char *roots[] = {memory_copy_string(path), NULL};
	size_t above = strlen(path);
	FTS *fts;
	int rc;

	*t = (struct file_tree){0};
	if (!roots[0])
		return error_set_nomem(e);
	while (above > 1 && roots[0][above - 1] == '/') /* as fts has it */
		roots[0][--above] = 0;
	fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	rc = fts ? tree_walk(t, fts, path, above + (path[above - 1] != '/'), wanted, e)
		 : error_set_errno(e, path, "cannot read %s", path);
	if (fts)
		fts_close(fts);
	memory_free(roots[0]);
	vector_sort(&t->paths, order_texts);
	return rc;
}

void file_tree_deinit(struct file_tree *t)
{
	char **path;

	vector_each (&t->paths, path)
		memory_free(*path);
	vector_deinit(&t->paths);
}
