/* SPDX-License-Identifier: MIT */
/* Addresses of one binary as source: each function's debug information is read once, when the first
 * of its addresses is asked for. */
#include "report/views/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

void source_places_deinit(struct source_places *p)
{
	struct debuginfo_function *f;

	vector_each (&p->functions, f)
		debuginfo_function_deinit(f);
	vector_deinit(&p->functions);
	map_deinit(&p->numbers);
	debuginfo_close(p->info);
}

/* NULL: without debug information, memory, or a function there. */
static const struct debuginfo_function *function_at(struct source_places *p, uint64_t va)
{
	const struct binary_function *f = p->binary ? binary_function_at(p->binary, va) : NULL;
	const size_t known = p->functions.count;
	struct debuginfo_function *found;
	struct softlbr_error none = {0};

	if (!f)
		return NULL;
	if (!p->opened)
		p->info = debuginfo_open(p->binary, &none);
	p->opened = true;
	if (!p->info)
		return NULL;
	found = map_item(&p->numbers, f->begin, 0, &p->functions, (struct debuginfo_function){0});
	if (p->functions.count > known &&
	    !debuginfo_look_up(p->info, f->begin, f->end, found, &none))
		debuginfo_fold_unplaced(found);
	return found;
}

static const struct debuginfo_span *span_at(const struct debuginfo_function *f, uint64_t va)
{
	const struct debuginfo_span *s;
	size_t n;

	if (!f)
		return NULL;
	n = vector_count_while(&f->spans, s, s->begin <= va);
	return n && va < f->spans.items[n - 1].end && f->spans.items[n - 1].line
		       ? &f->spans.items[n - 1]
		       : NULL;
}

static const char *text_of(const struct source_places *p, uint32_t number)
{
	return strings_text(debuginfo_strings(p->info), number);
}

bool source_places_line(struct source_places *p, uint64_t va, const char **file, int32_t *line)
{
	const struct debuginfo_span *s = span_at(function_at(p, va), va);

	if (!s)
		return false;
	*file = text_of(p, s->file);
	*line = s->line;
	return true;
}

bool source_places_text(struct source_places *p, uint64_t va, char *room, size_t size)
{
	const struct debuginfo_function *f = function_at(p, va);
	const struct debuginfo_span *s = span_at(f, va);
	size_t used;

	if (!s)
		return false;
	used = (size_t)snprintf(room, size, "%s:%" PRId32, text_of(p, s->file), s->line);
	for (uint32_t i = s->scope; i != DEBUGINFO_NONE && used < size;) {
		const struct debuginfo_scope *scope = &f->scopes.items[i];

		i = scope->parent;
		if (i == DEBUGINFO_NONE)
			break;
		used += (size_t)snprintf(room + used, size - used, " %s < %s:%" PRId32,
					 text_of(p, scope->name),
					 text_of(p, f->scopes.items[i].file), scope->call_line);
	}
	return true;
}

bool source_places_function(struct source_places *p, uint64_t va, const char **name)
{
	const struct debuginfo_function *f = function_at(p, va);
	const struct debuginfo_span *s = span_at(f, va);

	if (!s || s->scope == DEBUGINFO_NONE)
		return false;
	*name = text_of(p, f->scopes.items[s->scope].name);
	return true;
}

bool source_places_path(struct source_places *p, uint64_t va, const char *file, char *room,
			size_t size)
{
	const char *unit = function_at(p, va) ? debuginfo_source_path(p->info, va) : NULL;

	return unit && snprintf(room, size, "%.*s%s", (int)(file_base_name(unit) - unit), unit,
				file) < (int)size;
}

/* Is it a line of the span, or of a call that was inlined there? */
static bool span_has(const struct source_places *p, const struct debuginfo_function *f,
		     const struct debuginfo_span *s, const char *file, int32_t line)
{
	if (s->line == line && !strcmp(text_of(p, s->file), file))
		return true;
	for (uint32_t i = s->scope; i != DEBUGINFO_NONE; i = f->scopes.items[i].parent) {
		const struct debuginfo_scope *scope = &f->scopes.items[i];

		if (scope->parent != DEBUGINFO_NONE && scope->call_line == line &&
		    !strcmp(text_of(p, f->scopes.items[scope->parent].file), file))
			return true;
	}
	return false;
}

bool source_places_have(struct source_places *p, uint64_t begin, uint64_t last, const char *file,
			int32_t line)
{
	const struct debuginfo_function *f = function_at(p, begin);
	const struct debuginfo_span *s;

	if (!f)
		return false;
	vector_each (&f->spans, s)
		if (s->end > begin && s->begin <= last && span_has(p, f, s, file, line))
			return true;
	return false;
}

int source_places_lines(struct source_places *p, uint64_t begin, uint64_t last,
			struct place_lines *lines)
{
	const struct debuginfo_function *f = function_at(p, begin);
	const struct debuginfo_span *s;

	if (!f)
		return 0;
	vector_each (&f->spans, s) {
		const struct place_line *before =
			lines->items.count ? &lines->items.items[lines->items.count - 1] : NULL;
		struct place_line here = {text_of(p, s->file), s->line};

		if (s->end <= begin || s->begin > last || !s->line ||
		    (before && before->line == here.line && !strcmp(before->file, here.file)))
			continue;
		if (vector_add(&lines->items, here))
			return -1;
	}
	return 0;
}

/* How many lines from @at on ascend by one in one file. */
static size_t run_at(const struct place_lines *lines, size_t at)
{
	const struct place_line *l = lines->items.items;
	size_t end = at + 1;

	while (end < lines->items.count && l[end].line == l[end - 1].line + 1 &&
	       !strcmp(l[end].file, l[at].file))
		end++;
	return end - at;
}

void source_places_put_lines(const struct place_lines *lines, char *room, size_t size)
{
	const struct place_line *l = lines->items.items;
	const char *file = NULL;
	size_t used = 0;

	room[0] = '\0';
	for (size_t i = 0, run; i < lines->items.count && used < size; i += run) {
		bool same = file && !strcmp(file, l[i].file);

		run = run_at(lines, i);
		file = l[i].file;
		used += (size_t)snprintf(room + used, size - used, "%s%s%s%" PRId32, i ? ", " : "",
					 same ? "" : file, same ? "" : ":", l[i].line);
		if (run > 1 && used < size)
			used += (size_t)snprintf(room + used, size - used, "-%" PRId32,
						 l[i + run - 1].line);
	}
}

size_t source_places_inlined(struct source_places *p, uint64_t va, const char **names, size_t max)
{
	const struct debuginfo_function *f = function_at(p, va);
	const struct debuginfo_span *s = span_at(f, va);
	const struct debuginfo_scope *scopes = f ? f->scopes.items : NULL;
	size_t depth = 0, at;

	if (!scopes || !s || s->scope == DEBUGINFO_NONE)
		return 0;
	for (uint32_t i = s->scope; scopes[i].parent != DEBUGINFO_NONE; i = scopes[i].parent)
		depth++;
	at = depth;
	for (uint32_t i = s->scope; scopes[i].parent != DEBUGINFO_NONE; i = scopes[i].parent)
		if (--at < max)
			names[at] = text_of(p, scopes[i].name);
	return depth < max ? depth : max;
}
