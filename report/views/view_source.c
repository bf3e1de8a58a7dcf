/* SPDX-License-Identifier: MIT */
/*
 * The lines of source of functions that ran. A line's count is that of its most frequent
 * instruction, as AutoFDO's profiles have it; its work is the sum of all of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/order.h"
#include "report/source_files.h"
#include "report/views/function_listing.h"

/* Lines of a function: two of a file, or of files of one name, are not mixed. */
struct source_group {
	uint32_t file;	   /* in the files' names */
	uint32_t function; /* in the document's strings */
	const char *path;  /* where it was compiled, if that is as old as the program; or NULL */
};

struct source_row {
	uint32_t group, line;
	uint64_t count, work;	/* executions of its instructions: the most, and all */
	uint64_t ended, passed; /* of its conditional branches */
	uint64_t predicted, mispredicted;
	uint32_t depth; /* of the innermost loop */
	bool head;	/* that loop begins there */
};

struct source_view {
	struct view *view;
	struct source_files files;
	struct map group_numbers; /* (function, file) -> n = index + 1 */
	struct map numbers;	  /* (group, line) -> n = index + 1 */
	VECTOR(struct source_group) groups;
	VECTOR(struct source_row) rows;
	uint64_t work;
};

/* A source that was changed since is another text. */
static const char *path_of(struct source_view *s, struct view_part *p, uint64_t va,
			   const char *file)
{
	struct stat source, program;
	char path[4096];

	if (s->view->options->source_directory ||
	    !source_places_path(&p->places, va, file, path, sizeof(path)) || stat(path, &source) ||
	    stat(binary_path(p->binary), &program) || source.st_mtime > program.st_mtime)
		return NULL;
	return document_keep_text(s->view->out, path);
}

/* The group of that code; NULL without memory. */
static const struct source_group *group_at(struct source_view *s, struct view_part *p, uint64_t va,
					   const char *function, const char *file)
{
	const uint32_t name = strings_add_text(s->files.names, file);
	const uint32_t of = strings_add_text(s->view->out->strings, function);
	const size_t known = s->groups.count;
	struct source_group *group;

	if (name == STRINGS_NONE || of == STRINGS_NONE)
		return NULL;
	group = map_item(&s->group_numbers, of, name, &s->groups,
			 (struct source_group){.file = name, .function = of});
	if (s->groups.count > known)
		group->path = path_of(s, p, va, file);
	return group;
}

/* NULL without memory. */
static struct source_row *row_at(struct source_view *s, const struct source_group *group,
				 int32_t line)
{
	const uint32_t number = (uint32_t)(group - s->groups.items);

	return map_item(&s->numbers, number, (uint64_t)line, &s->rows,
			(struct source_row){.group = number, .line = (uint32_t)line});
}

static int add_instruction(struct source_view *s, const struct function_listing *f, size_t insn)
{
	struct view_part *p = &s->view->parts.items[f->part];
	const uint64_t va = f->blocks->code->insns[insn].address;
	const struct branch_site *site = branch_sites_at(&p->sites, va);
	uint32_t number = function_listing_loop(f, insn);
	const struct loop *loop = number == LOOPS_NONE ? NULL : &f->loops.items.items[number];
	const struct source_group *group;
	struct source_row *row;
	const char *file, *function = f->function->name;
	int32_t line;

	s->work += f->counts[insn];
	if (!source_places_line(&p->places, va, &file, &line))
		return 0;
	source_places_function(&p->places, va, &function);
	group = group_at(s, p, va, function, file);
	row = group ? row_at(s, group, line) : NULL;
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
static void put_line(struct source_view *s, const struct source_row *row, uint32_t group,
		     uint64_t line, const char *text)
{
	const struct source_group *g = &s->groups.items[group];
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
	snprintf(place, sizeof(place), "%s:%" PRIu64, strings_text(s->files.names, g->file), line);
	document_put_symbol(t, strings_text(t->strings, g->function));
	document_put_text(t, place);
	document_put_code(t, text);
}

static const struct source_row *find_row(const struct source_view *s, uint32_t group, uint64_t line)
{
	const struct map_entry *e = map_find(&s->numbers, group, line);

	return e ? &s->rows.items[e->n - 1] : NULL;
}

/* A group at work. */
struct shown_group {
	struct source_view *view;
	uint32_t number;
	bool rows_alone; /* without the lines around */
};

static bool has_row(void *context, uint64_t line)
{
	const struct shown_group *f = context;

	return find_row(f->view, f->number, line);
}

static void put_text_line(void *context, uint64_t line, const char *text)
{
	const struct shown_group *f = context;
	const struct source_row *row = find_row(f->view, f->number, line);

	if (row || !f->rows_alone)
		put_line(f->view, row, f->number, line, text);
}

static int put_group_text(struct source_view *s, uint32_t number, const char *path,
			  struct softlbr_error *e)
{
	struct shown_group f = {s, number, s->groups.items[number].path};
	const struct source_lines lines = {has_row, put_text_line, &f};

	return source_lines_put(&lines, path, e);
}

ORDER_BY(by_line, struct source_row, ORDER_UP(group) ?: ORDER_UP(line));

/* In a copy, since numbers are places among the rows. */
static int put_group_lines(struct source_view *s, uint32_t group)
{
	struct source_row *rows = memory_alloc_array(s->rows.count, sizeof(*rows));
	size_t count = 0;

	if (!rows)
		return -1;
	for (size_t i = 0; i < s->rows.count; i++)
		if (s->rows.items[i].group == group)
			rows[count++] = s->rows.items[i];
	qsort(rows, count, sizeof(*rows), by_line);
	for (size_t i = 0; i < count; i++)
		put_line(s, &rows[i], group, rows[i].line, NULL);
	memory_free(rows);
	return 0;
}

/* In the order in which their code was met, which is that of the hottest functions. */
static int put_groups(struct source_view *s)
{
	struct softlbr_error e = {0};
	int rc = 0;

	for (uint32_t i = 0; !rc && i < s->groups.count; i++) {
		uint32_t file = s->groups.items[i].file;
		const char *path = file < s->files.paths.count ? s->files.paths.items[file]
							       : s->groups.items[i].path;

		if (!path || put_group_text(s, i, path, &e))
			rc = put_group_lines(s, i);
	}
	return rc;
}

static int put_table(struct source_view *s)
{
	const char *directory = s->view->options->source_directory;
	struct softlbr_error e = {0};

	document_table(s->view->out, "source", "Lines that ran",
		       "count, share: instructions, probability, mispredicted, loops, "
		       "function, place: line, text: source");
	document_draw(s->view->out, DOCUMENT_LISTING);
	if (directory && source_files_find(&s->files, directory, &e))
		document_fact_text(s->view->out, "source_note", "source", e.text);
	return put_groups(s);
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
	vector_deinit(&s.groups);
	map_deinit(&s.group_numbers);
	map_deinit(&s.numbers);
	source_files_deinit(&s.files);
	return rc;
}
