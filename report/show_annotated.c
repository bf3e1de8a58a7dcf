/* SPDX-License-Identifier: MIT */
/* Source text beside the counts of its lines. Files are known by their base names alone. */
#include <fts.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/show_private.h"

#define LINES_AROUND   2
#define LINE_BYTES_MAX 200

struct annotation {
	struct show *s;
	struct strings *files;
	struct map lines;     /* (file, line) -> n = count */
	VECTOR(char *) paths; /* by the file's number; NULL: not found */
};

/* Offsets of functions to lines of files. */
static int place_lines(struct annotation *a, const struct map *offsets, const struct strings *names)
{
	const struct map_entry *i = NULL;

	while ((i = map_next(offsets, (struct map_entry *)i))) {
		const char *file = "", *name = strings_text(names, (uint32_t)i->a);
		int64_t line = declarations_line(&a->s->declarations, name, (int32_t)(uint32_t)i->b,
						 &file);
		uint32_t number;
		struct map_entry *at;

		if (!line || !*file)
			continue;
		number = strings_add_text(a->files, file);
		at = number == STRINGS_NONE ? NULL : map_at(&a->lines, number, (uint64_t)line);
		if (!at)
			return -1;
		at->n = source_count_add(at->n, i->n);
	}
	return 0;
}

/* Look for the files below the directory: of several of one name the first in order. */
static int find_files(struct annotation *a, struct softlbr_error *e)
{
	char *const roots[] = {(char *)a->s->options->source_directory, NULL};
	FTS *walk;
	FTSENT *entry;
	bool failed = false;

	while (a->paths.count < strings_count(a->files))
		if (!vector_push(&a->paths))
			return error_set_nomem(e);
	walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_COMFOLLOW, NULL);
	if (!walk)
		return error_set_errno(e, roots[0], "cannot read %s", roots[0]);
	while ((entry = fts_read(walk))) {
		uint32_t number = strings_find(a->files, entry->fts_name, entry->fts_namelen);
		char **path = number == STRINGS_NONE ? NULL : &a->paths.items[number];

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

static bool is_near(const struct annotation *a, uint32_t file, uint64_t line)
{
	for (uint64_t i = line > LINES_AROUND ? line - LINES_AROUND : 1; i <= line + LINES_AROUND;
	     i++)
		if (map_find(&a->lines, file, i))
			return true;
	return false;
}

static void put_text_line(struct sheet *t, const char *text, size_t length)
{
	char line[LINE_BYTES_MAX + 1];
	size_t used = 0;

	for (size_t i = 0; i < length && used < LINE_BYTES_MAX; i++) {
		if (text[i] == '\r')
			continue;
		line[used++] = text[i];
		while (text[i] == '\t' && (line[used - 1] = ' ', used % 8) && used < LINE_BYTES_MAX)
			line[used++] = ' ';
	}
	line[used] = '\0';
	sheet_put_text(t, line);
}

static int put_file(struct annotation *a, uint32_t file, struct softlbr_error *e)
{
	struct sheet *t = a->s->sheet;
	struct file_view v;
	int rc = file_view_open(&v, a->paths.items[file], e);
	const char *at, *end;

	if (rc)
		return rc;
	at = (const char *)v.data;
	end = at + v.size;
	for (uint64_t line = 1; at < end; line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const struct map_entry *count = map_find(&a->lines, file, line);
		const char *stop = newline ? newline : end;

		if (is_near(a, file, line)) {
			sheet_put_text(t, strings_text(a->files, file));
			sheet_put_number(t, line);
			if (count)
				sheet_put_number(t, count->n);
			else
				sheet_put_none(t);
			put_text_line(t, at, (size_t)(stop - at));
		}
		at = stop + 1;
	}
	file_view_close(&v);
	return 0;
}

static int put_files(struct annotation *a, struct softlbr_error *e)
{
	static const struct sheet_column columns[] = {
		{"file", "file"}, {"line", "line"}, {"count", "count"}, {"text", "source"}};
	size_t found = 0;
	int rc = 0;

	sheet_table(a->s->sheet, "source", "Source", COLUMNS(columns));
	for (uint32_t i = 1; !rc && i < a->paths.count; i++) {
		if (!a->paths.items[i])
			continue;
		found++;
		rc = put_file(a, i, e);
	}
	if (rc || found)
		return rc;
	if (!a->lines.count)
		return error_set(e, SOFTLBR_E_INPUT, a->s->options->path,
				 "%s has no function whose lines are known: annotated source needs "
				 "--binary, compiled with -g",
				 a->s->options->path);
	return error_set(e, SOFTLBR_E_SYSTEM, a->s->options->source_directory,
			 "none of the source files (%s, ...) is below %s",
			 strings_text(a->files, 1), a->s->options->source_directory);
}

int show_annotated(struct show *s, const struct map *lines, const struct strings *strings,
		   struct softlbr_error *e)
{
	struct annotation a = {.s = s, .files = strings_new()};
	int rc = a.files ? 0 : error_set_nomem(e);
	char **path;

	if (!rc && place_lines(&a, lines, strings))
		rc = error_set_nomem(e);
	if (!rc)
		rc = find_files(&a, e);
	if (!rc)
		rc = put_files(&a, e);
	vector_each (&a.paths, path)
		memory_free(*path);
	vector_deinit(&a.paths);
	map_deinit(&a.lines);
	strings_free(a.files);
	return rc;
}
