/* SPDX-License-Identifier: MIT */
/* Source text beside the counts of its lines. Files are known by their base names alone. */

#include "base/error.h"
#include "report/show_private.h"
#include "report/source_files.h"

struct annotation {
	struct show *s;
	struct source_files files;
	struct map lines; /* (file, line) -> n = count */
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
		number = strings_add_text(a->files.names, file);
		at = number == STRINGS_NONE ? NULL : map_at(&a->lines, number, (uint64_t)line);
		if (!at)
			return -1;
		at->n = source_count_add(at->n, i->n);
	}
	return 0;
}

/* A file at work. */
struct annotated_file {
	const struct annotation *annotation;
	uint32_t number;
};

static bool has_count(void *context, uint64_t line)
{
	const struct annotated_file *f = context;

	return map_find(&f->annotation->lines, f->number, line);
}

static void put_line(void *context, uint64_t line, const char *text)
{
	const struct annotated_file *f = context;
	const struct annotation *a = f->annotation;
	const struct map_entry *count = map_find(&a->lines, f->number, line);
	struct document *t = a->s->out;

	document_put_text(t, strings_text(a->files.names, f->number));
	document_put_number(t, line);
	if (count)
		document_put_number(t, count->n);
	else
		document_put_none(t);
	document_put_text(t, text);
}

static int put_file(const struct annotation *a, uint32_t number, struct softlbr_error *e)
{
	struct annotated_file f = {a, number};
	const struct source_lines lines = {has_count, put_line, &f};

	return source_lines_put(&lines, a->files.paths.items[number], e);
}

static int put_files(struct annotation *a, struct softlbr_error *e)
{
	static const struct document_column columns[] = {
		{"file", "file"}, {"line", "line"}, {"count", "count"}, {"text", "source"}};
	size_t found = 0;
	int rc = 0;

	document_table(a->s->out, "source", "Source", COLUMNS(columns));
	for (uint32_t i = 1; !rc && i < a->files.paths.count; i++) {
		if (!a->files.paths.items[i])
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
			 strings_text(a->files.names, 1), a->s->options->source_directory);
}

int show_annotated_source(struct show *s, const struct map *lines, const struct strings *strings,
			  struct softlbr_error *e)
{
	struct annotation a = {.s = s};
	int rc = source_files_init(&a.files) ? error_set_nomem(e) : 0;

	if (!rc && place_lines(&a, lines, strings))
		rc = error_set_nomem(e);
	if (!rc)
		rc = source_files_find(&a.files, s->options->source_directory, e);
	if (!rc)
		rc = put_files(&a, e);
	map_deinit(&a.lines);
	source_files_deinit(&a.files);
	return rc;
}
