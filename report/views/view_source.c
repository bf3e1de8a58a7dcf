/* SPDX-License-Identifier: MIT */
/*
 * The lines of source of functions that ran. A line's count is that of its most frequent
 * instruction, as AutoFDO's profiles have it; its work is the sum of all of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "report/source_files.h"
#include "report/views/function_listing.h"

struct source_row {
	uint32_t file, line;
	uint64_t count, work;	/* executions of its instructions: the most, and all */
	uint64_t ended, passed; /* of its conditional branches */
	uint64_t predicted, mispredicted;
	uint32_t depth; /* of the innermost loop */
	bool head;	/* that loop begins there */
};

struct source_view {
	struct view *view;
	struct source_files files;
	struct map numbers; /* (file, line) -> n = index + 1 */
	VECTOR(struct source_row) rows;
	uint64_t work;
};

/* NULL without memory. */
static struct source_row *row_at(struct source_view *s, const char *file, int32_t line)
{
	uint32_t name = strings_add_text(s->files.names, file);

	if (name == STRINGS_NONE)
		return NULL;
	return map_item(&s->numbers, name, (uint64_t)line, &s->rows,
			(struct source_row){.file = name, .line = (uint32_t)line});
}

static int add_instruction(struct source_view *s, const struct function_listing *f, size_t insn)
{
	struct view_part *p = &s->view->parts.items[f->part];
	const uint64_t va = f->blocks->code->insns[insn].address;
	const struct branch_site *site = branch_sites_at(&p->sites, va);
	uint32_t number = function_listing_loop(f, insn);
	const struct loop *loop = number == LOOPS_NONE ? NULL : &f->loops.items.items[number];
	struct source_row *row;
	const char *file;
	int32_t line;

	s->work += f->counts[insn];
	if (!source_places_line(&p->places, va, &file, &line))
		return 0;
	row = row_at(s, file, line);
	if (!row)
		return -1;
	row->work += f->counts[insn];
	if (f->counts[insn] > row->count)
		row->count = f->counts[insn];
	if (site) {
		if (site->kind == ISA_JUMP_CONDITIONAL) {
			row->ended += site->ended;
			row->passed += site->passed;
		}
		row->predicted += site->predicted;
		row->mispredicted += site->mispredicted;
	}
	if (loop && loop->depth > row->depth)
		row->depth = loop->depth;
	row->head |= loop && loop->depth == row->depth &&
		     f->blocks->items.items[loop->head].first == insn;
	return 0;
}

static int add_functions(struct source_view *s, const struct function_listings *functions)
{
	const struct function_listing *f;
	int rc = 0;

	vector_each (&functions->items, f)
		for (size_t i = 0; !rc && i < f->blocks->code->count; i++)
			rc = f->counts[i] ? add_instruction(s, f, i) : 0;
	return rc;
}

static void put_margin(struct document *s, const struct source_row *row)
{
	char text[64];
	uint32_t depth = row->depth < sizeof(text) ? row->depth : sizeof(text) - 1;

	memset(text, '|', depth);
	text[depth] = '\0';
	if (row->head)
		text[depth - 1] = 'o';
	document_put_code(s, text);
}

/* @row may be NULL: a line beside one that ran. @text may be NULL. */
static void put_line(struct source_view *s, const struct source_row *row, uint32_t file,
		     uint64_t line, const char *text)
{
	struct document *t = s->view->out;
	char place[4096];

	if (row) {
		document_put_number(t, row->count);
		document_put_share(t, row->work, s->work);
		document_put_share(t, row->ended, row->ended + row->passed);
		document_put_share(t, row->mispredicted, row->predicted + row->mispredicted);
		put_margin(t, row);
	} else {
		for (unsigned i = 0; i < 4; i++)
			document_put_none(t);
		document_put_code(t, "");
	}
	snprintf(place, sizeof(place), "%s:%" PRIu64, strings_text(s->files.names, file), line);
	document_put_text(t, place);
	document_put_code(t, text);
}

static const struct source_row *find_row(const struct source_view *s, uint32_t file, uint64_t line)
{
	const struct map_entry *e = map_find(&s->numbers, file, line);

	return e ? &s->rows.items[e->n - 1] : NULL;
}

/* A file at work. */
struct shown_file {
	struct source_view *view;
	uint32_t number;
};

static bool has_row(void *context, uint64_t line)
{
	const struct shown_file *f = context;

	return find_row(f->view, f->number, line);
}

static void put_text_line(void *context, uint64_t line, const char *text)
{
	const struct shown_file *f = context;

	put_line(f->view, find_row(f->view, f->number, line), f->number, line, text);
}

static int put_file_text(struct source_view *s, uint32_t number, const char *path,
			 struct softlbr_error *e)
{
	struct shown_file f = {s, number};
	const struct source_lines lines = {has_row, put_text_line, &f};

	return source_lines_put(&lines, path, e);
}

ORDER_BY(by_line, struct source_row, ORDER_UP(file) ?: ORDER_UP(line));

/* In a copy, since numbers are places among the rows. */
static int put_file_lines(struct source_view *s, uint32_t file)
{
	struct source_row *rows = memory_alloc_array(s->rows.count, sizeof(*rows));
	size_t count = 0;

	if (!rows)
		return -1;
	for (size_t i = 0; i < s->rows.count; i++)
		if (s->rows.items[i].file == file)
			rows[count++] = s->rows.items[i];
	qsort(rows, count, sizeof(*rows), by_line);
	for (size_t i = 0; i < count; i++)
		put_line(s, &rows[i], file, rows[i].line, NULL);
	memory_free(rows);
	return 0;
}

/* Files in the order in which their code was met, which is that of the hottest functions. */
static int put_files(struct source_view *s)
{
	struct softlbr_error e = {0};
	int rc = 0;

	for (uint32_t file = 1; !rc && file < strings_count(s->files.names); file++) {
		const char *path = file < s->files.paths.count ? s->files.paths.items[file] : NULL;

		if (!path || put_file_text(s, file, path, &e))
			rc = put_file_lines(s, file);
	}
	return rc;
}

static int put_table(struct source_view *s)
{
	const char *directory = s->view->options->source_directory;
	struct softlbr_error e = {0};

	document_table(s->view->out, "source", "Lines that ran",
		       "count, share: instructions, probability, mispredicted, loops, "
		       "place: line, text: source");
	if (directory && source_files_find(&s->files, directory, &e))
		document_fact_text(s->view->out, "source_note", "source", e.text);
	return put_files(s);
}

int view_source(struct view *v)
{
	struct source_view s = {.view = v};
	struct function_listings functions = {0};
	int rc = source_files_init(&s.files)
	       ?: function_listings_make(&functions, v)
	       ?: add_functions(&s, &functions)
	       ?: put_table(&s);

	function_listings_deinit(&functions);
	vector_deinit(&s.rows);
	map_deinit(&s.numbers);
	source_files_deinit(&s.files);
	return rc;
}
