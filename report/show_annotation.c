/* SPDX-License-Identifier: MIT */
/* Source files with the counts of their lines. */
#include "base/error.h"
#include "report/show_private.h"
#include "report/source_files.h"

struct annotation {
	struct show *s;
	struct source_files files;
	struct map lines; /* (file, line) -> n = count */
};

static int place_lines(struct annotation *a, const struct show_line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t number = strings_add_text(a->files.names, file_base_name(lines[i].file));

		if (number == STRINGS_NONE ||
		    map_add(&a->lines, number, lines[i].line, lines[i].count, 0))
			return -1;
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
	document_put_number_if(t, count, count ? count->n : 0);
	document_put_text(t, text);
}

static int put_file(const struct annotation *a, uint32_t number, struct softlbr_error *e)
{
	struct annotated_file f = {a, number};
	const struct source_lines lines = {has_count, put_line, &f};

	return source_lines_put(&lines, a->files.paths.items[number], e);
}

static int put_files(struct annotation *a, const char *needs, struct softlbr_error *e)
{
	size_t found = 0;
	int rc = 0;

	document_table(a->s->out, "source", "Source", "file, line, count, text: source");
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
				 "%s",
				 a->s->options->path, needs);
	return error_set(e, SOFTLBR_E_SYSTEM, a->s->options->source_directory,
			 "none of the source files (%s, ...) is below %s",
			 strings_text(a->files.names, 1), a->s->options->source_directory);
}

int show_annotate(struct show *s, const struct show_line *lines, size_t count, const char *needs,
		  struct softlbr_error *e)
{
	struct annotation a = {.s = s};
	int rc = source_files_init(&a.files) ? error_set_nomem(e) : 0;

	if (!rc && place_lines(&a, lines, count))
		rc = error_set_nomem(e);
	if (!rc)
		rc = source_files_find(&a.files, s->options->source_directory, e);
	if (!rc)
		rc = put_files(&a, needs, e);
	map_deinit(&a.lines);
	source_files_deinit(&a.files);
	return rc;
}
