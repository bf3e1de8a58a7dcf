/* SPDX-License-Identifier: MIT */
#include "report/source_files.h"

#include <fts.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

int source_files_init(struct source_files *f)
{
	*f = (struct source_files){.names = strings_new()};
	return f->names ? 0 : -1;
}

void source_files_deinit(struct source_files *f)
{
	char **path;

	vector_each (&f->paths, path)
		memory_free(*path);
	vector_deinit(&f->paths);
	strings_free(f->names);
	f->names = NULL;
}

int source_files_find(struct source_files *f, const char *root, struct softlbr_error *e)
{
	char *const roots[] = {(char *)root, NULL};
	FTS *walk;
	FTSENT *entry;
	bool failed = false;

	while (f->paths.count < strings_count(f->names))
		if (!vector_push(&f->paths))
			return error_set_nomem(e);
	walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_COMFOLLOW, NULL);
	if (!walk)
		return error_set_errno(e, root, "cannot read %s", root);
	while ((entry = fts_read(walk))) {
		uint32_t number = strings_find(f->names, entry->fts_name, entry->fts_namelen);
		char **path = number == STRINGS_NONE ? NULL : &f->paths.items[number];

		if (entry->fts_info != FTS_F || !path)
			continue;
		if (!*path || strcmp(entry->fts_path, *path) < 0) {
			memory_free(*path);
			*path = memory_copy_string(entry->fts_path);
			failed |= !*path;
		}
	}
	fts_close(walk);
	return failed ? error_set_nomem(e) : 0;
}

void source_files_line(char *out, const char *text, size_t length)
{
	size_t used = 0;

	for (size_t i = 0; i < length && used < SOURCE_LINE_BYTES_MAX; i++) {
		if (text[i] == '\r')
			continue;
		out[used++] = text[i];
		while (text[i] == '\t' && (out[used - 1] = ' ', used % 8) &&
		       used < SOURCE_LINE_BYTES_MAX)
			out[used++] = ' ';
	}
	out[used] = '\0';
}
