/* SPDX-License-Identifier: MIT */
#include "report/source_files.h"

#include <fts.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#define LINES_AROUND 2

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

/* A line of text as it is shown. @out has room for SOURCE_LINE_BYTES_MAX + 1. */
static void show_line(char *out, struct text line)
{
	size_t used = 0;

	for (; text_length(line) && used < SOURCE_LINE_BYTES_MAX; line.at++) {
		if (*line.at == '\r')
			continue;
		out[used++] = *line.at;
		while (*line.at == '\t' && (out[used - 1] = ' ', used % 8) &&
		       used < SOURCE_LINE_BYTES_MAX)
			out[used++] = ' ';
	}
	out[used] = '\0';
}

static bool is_near(const struct source_lines *l, uint64_t line)
{
	for (uint64_t i = line > LINES_AROUND ? line - LINES_AROUND : 1; i <= line + LINES_AROUND;
	     i++)
		if (l->is_wanted(l->context, i))
			return true;
	return false;
}

int source_lines_put(const struct source_lines *l, const char *path, struct softlbr_error *e)
{
	struct file_view v;
	int rc = file_view_open(&v, path, e);
	char shown[SOURCE_LINE_BYTES_MAX + 1];
	struct text rest, line;

	if (rc)
		return rc;
	rest = (struct text){(const char *)v.data, (const char *)v.data + v.size};
	for (uint64_t number = 1; text_take_line(&rest, &line); number++) {
		if (!is_near(l, number))
			continue;
		show_line(shown, line);
		l->put(l->context, number, shown);
	}
	file_view_close(&v);
	return 0;
}
