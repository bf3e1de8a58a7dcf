/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/contexts.h"

#include <string.h>

void contexts_deinit(struct contexts *c)
{
	vector_deinit(&c->items);
	vector_deinit(&c->inner);
	map_deinit(&c->known);
	map_deinit(&c->known_inner);
}

static uint64_t pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

uint32_t contexts_add(struct contexts *c, const struct context *one)
{
	const struct context *known = map_item(&c->known, pair(one->parent, one->name),
					       pair(one->line, one->column), &c->items, *one);

	return known ? (uint32_t)(known - c->items.items) : CONTEXT_NONE;
}

uint32_t contexts_add_inner(struct contexts *c, const struct context_inner *one)
{
	const struct context_inner *known = map_item(&c->known_inner, one->outer,
						     pair(one->line, one->column), &c->inner, *one);

	return known ? (uint32_t)(known - c->inner.items) + 1 : 0;
}

static unsigned depth(const struct contexts *c, uint32_t inner)
{
	unsigned n = 0;

	for (; inner; inner = c->inner.items[inner - 1].outer)
		n++;
	return n;
}

int contexts_compare_inner(const struct contexts *c, uint32_t a, uint32_t b)
{
	unsigned deep_a = depth(c, a), deep_b = depth(c, b);
	int outer;

	if (a == b)
		return 0;
	if (deep_a != deep_b) {
		outer = deep_a > deep_b ? contexts_compare_inner(c, c->inner.items[a - 1].outer, b)
					: contexts_compare_inner(c, a, c->inner.items[b - 1].outer);
		return outer ? outer : deep_a < deep_b ? -1 : 1;
	}
	outer = contexts_compare_inner(c, c->inner.items[a - 1].outer, c->inner.items[b - 1].outer);
	if (outer)
		return outer;
	if (c->inner.items[a - 1].line != c->inner.items[b - 1].line)
		return c->inner.items[a - 1].line < c->inner.items[b - 1].line ? -1 : 1;
	return c->inner.items[a - 1].column < c->inner.items[b - 1].column ? -1 : 1;
}

#define UNASKED (UINT32_MAX - 1)

void context_frames_deinit(struct context_frames *f)
{
	debuginfo_function_deinit(&f->info);
	vector_deinit(&f->files);
	vector_deinit(&f->functions);
	vector_deinit(&f->scopes);
}

uint32_t context_frames_file(struct context_frames *f, uint32_t file)
{
	const char *text = strings_text(debuginfo_strings(f->debug), file);

	while (f->files.count <= file) {
		if (vector_add(&f->files, UNASKED))
			return 0;
	}
	if (f->files.items[file] == UNASKED) {
		uint32_t number = strings_find(f->keys->strings, text, strlen(text));

		f->files.items[file] = number == STRINGS_NONE ? 0 : number;
	}
	return f->files.items[file];
}

/* Functions of one name are looked up by their file each time; there are few. */
static uint32_t function_named(struct context_frames *f, uint32_t name, uint32_t file,
			       uint32_t object)
{
	const char *text = strings_text(debuginfo_strings(f->debug), name);

	while (f->functions.count <= name) {
		if (vector_add(&f->functions, UNASKED))
			return NOTES_NONE;
	}
	if (f->functions.items[name] == NOTES_NONE)
		return NOTES_NONE;
	f->functions.items[name] = notes_index_find(f->keys, text, context_frames_file(f, file),
						    object);
	return f->functions.items[name];
}

static uint32_t function_of(struct context_frames *f, const struct debuginfo_scope *s,
			    uint32_t object)
{
	uint32_t function = function_named(f, s->name, s->file, object);

	if (function != NOTES_NONE || s->decl_line <= 0)
		return function;
	return notes_index_find_unnamed(f->keys, strings_text(debuginfo_strings(f->debug), s->name),
					context_frames_file(f, s->file), (uint32_t)s->decl_line,
					object);
}

bool context_frames_has_dump(const struct notes_function *f)
{
	return f->blocks.count != 0;
}

static uint32_t call_line(const struct debuginfo_scope *s)
{
	return s->call_line > 0 ? (uint32_t)s->call_line : 0;
}

/* The symbol's own name tells what debug information may not: a coroutine's parts have the name of
 * the coroutine there. */
static uint32_t function_of_symbol(struct context_frames *f, const struct debuginfo_scope *s)
{
	return notes_index_find(f->keys, strings_text(f->keys->strings, f->symbol),
				context_frames_file(f, s->file), f->object);
}

/* What is local to an object is inlined into code of that object: into code that other ones have,
 * too, of the same as what that is inlined into. */
static void find_function(struct context_frames *f, const struct debuginfo_scope *s,
			  struct context_frame *it)
{
	uint32_t around = s->parent == DEBUGINFO_NONE ? f->object
						      : f->scopes.items[s->parent].object;
	uint32_t only;

	it->function = s->parent == DEBUGINFO_NONE ? function_of_symbol(f, s) : NOTES_NONE;
	if (it->function == NOTES_NONE)
		it->function = function_of(f, s, around);
	only = it->function == NOTES_NONE
		       ? NOTES_NONE
		       : notes_index_only_object(f->keys, it->function,
						 context_frames_file(f, s->file));
	it->object = only == NOTES_NONE ? around : only;
}

int context_frames_find(struct context_frames *f)
{
	const struct debuginfo_scope *s;

	f->scopes.count = 0;
	vector_each (&f->info.scopes, s) {
		struct context_frame *slot = vector_push(&f->scopes);
		struct context c = {.parent = CONTEXT_NONE, .name = s->name, .caller = NOTES_NONE};

		if (!slot)
			return -1;
		find_function(f, s, slot);
		if (s->parent != DEBUGINFO_NONE) {
			const struct context_frame *parent = &f->scopes.items[s->parent];

			c = (struct context){.parent = parent->context,
					     .name = f->info.scopes.items[s->parent].name,
					     .caller = parent->function,
					     .line = s->call_line > 0 ? (uint32_t)s->call_line : 0,
					     .column = s->call_column};
		} else {
			/* clones of one function are instances of their own, cold parts are not;
			 * those of one name are of other objects, or else of other files */
			c.line = f->symbol;
			c.column = slot->object == NOTES_NONE ? s->file : ~slot->object;
		}
		slot->context = contexts_add(f->contexts, &c);
		if (slot->context == CONTEXT_NONE)
			return -1;
	}
	return 0;
}

static bool has_place(const struct notes_function *f, struct notes_place at)
{
	size_t n;

	if (!context_frames_has_dump(f))
		at.column = 0;
	notes_function_at(f, at, &n);
	return n != 0;
}

static bool has_call(const struct notes_function *of, const struct debuginfo_scope *s)
{
	size_t n;

	if (!context_frames_has_dump(of)) /* .gcno does not tell calls from others */
		return true;
	notes_function_calls(of, call_line(s), s->call_column, &n);
	return n != 0;
}

bool context_frames_owner(const struct context_frames *f, uint32_t at, struct notes_place place,
			  uint32_t *owner)
{
	const struct notes_function *functions = f->keys->functions.items;

	for (;;) {
		uint32_t up = f->info.scopes.items[at].parent;

		/* frames of functions that gcc does not instrument are passed over */
		while (up != DEBUGINFO_NONE && f->scopes.items[up].function == NOTES_NONE)
			up = f->info.scopes.items[up].parent;
		if (up == DEBUGINFO_NONE)
			break;
		if (f->scopes.items[at].function != NOTES_NONE) {
			const struct notes_function *caller =
				&functions[f->scopes.items[up].function];

			if (!has_place(caller, place) ||
			    has_call(caller, &f->info.scopes.items[at]))
				break;
		}
		at = up;
	}
	*owner = at;
	return f->scopes.items[at].function != NOTES_NONE;
}

uint32_t context_frames_inner(struct context_frames *f, uint32_t owner, uint32_t at)
{
	const struct debuginfo_scope *s = &f->info.scopes.items[at];
	struct context_inner one;

	if (at == owner)
		return 0;
	one = (struct context_inner){.outer = context_frames_inner(f, owner, s->parent),
				     .line = call_line(s),
				     .column = s->call_column};
	return contexts_add_inner(f->contexts, &one);
}
