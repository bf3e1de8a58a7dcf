/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/frames.h"

#include <string.h>

#include "base/memory.h"

#define UNASKED (UINT32_MAX - 1)

void frames_deinit(struct frames *f)
{
	debuginfo_function_deinit(&f->info);
	vector_deinit(&f->files);
	vector_deinit(&f->functions);
	vector_deinit(&f->scopes);
}

uint32_t frames_file(struct frames *f, uint32_t file)
{
	const char *text = strings_text(debuginfo_strings(f->debug), file);

	while (f->files.count <= file) {
		uint32_t *slot = vector_push(&f->files);

		if (!slot)
			return 0;
		*slot = UNASKED;
	}
	if (f->files.items[file] == UNASKED) {
		uint32_t number = strings_find(f->keys->strings, text, strlen(text));

		f->files.items[file] = number == STRINGS_NONE ? 0 : number;
	}
	return f->files.items[file];
}

/* Functions of one name are looked up by their file each time; there are few. */
static uint32_t function_named(struct frames *f, uint32_t name, uint32_t file, uint32_t object)
{
	const char *text = strings_text(debuginfo_strings(f->debug), name);

	while (f->functions.count <= name) {
		uint32_t *slot = vector_push(&f->functions);

		if (!slot)
			return KEY_NONE;
		*slot = UNASKED;
	}
	if (f->functions.items[name] == KEY_NONE)
		return KEY_NONE;
	f->functions.items[name] = key_index_find(f->keys, text, frames_file(f, file), object);
	return f->functions.items[name];
}

static uint32_t function_of(struct frames *f, const struct debuginfo_scope *s, uint32_t object)
{
	uint32_t function = function_named(f, s->name, s->file, object);

	if (function != KEY_NONE || s->decl_line <= 0)
		return function;
	return key_index_find_unnamed(f->keys, strings_text(debuginfo_strings(f->debug), s->name),
				      frames_file(f, s->file), (uint32_t)s->decl_line, object);
}

/* ---- scopes -------------------------------------------------------------------------------- */

bool frames_has_dump(const struct key_function *f)
{
	return f->blocks.count != 0;
}

static uint32_t call_line(const struct debuginfo_scope *s)
{
	return s->call_line > 0 ? (uint32_t)s->call_line : 0;
}

uint32_t frames_column(const struct frames *f, uint32_t column)
{
	return f->keys->without_columns ? 0 : column;
}

/* What is local to an object is inlined into code of that object: into code that other ones have,
 * too, of the same as what that is inlined into. */
static void find_function(struct frames *f, const struct debuginfo_scope *s, struct frame *it)
{
	uint32_t around = s->parent == DEBUGINFO_NONE ? f->object
						      : f->scopes.items[s->parent].object;
	uint32_t only;

	it->function = function_of(f, s, around);
	only = it->function == KEY_NONE
		       ? KEY_NONE
		       : key_index_only_object(f->keys, it->function, frames_file(f, s->file));
	it->object = only == KEY_NONE ? around : only;
}

int frames_find(struct frames *f)
{
	const struct debuginfo_scope *s;

	f->scopes.count = 0;
	vector_each (&f->info.scopes, s) {
		struct frame *slot = vector_push(&f->scopes);
		struct context c = {.parent = CONTEXT_NONE, .name = s->name, .caller = KEY_NONE};

		if (!slot)
			return -1;
		find_function(f, s, slot);
		if (s->parent != DEBUGINFO_NONE) {
			const struct frame *parent = &f->scopes.items[s->parent];

			c = (struct context){.parent = parent->context,
					     .name = f->info.scopes.items[s->parent].name,
					     .caller = parent->function,
					     .line = s->call_line > 0 ? (uint32_t)s->call_line : 0,
					     .column = frames_column(f, s->call_column)};
		} else {
			/* clones of one function are instances of their own, cold parts are not;
			 * those of one name are of other objects, or else of other files */
			c.line = f->symbol;
			c.column = slot->object == KEY_NONE ? s->file : ~slot->object;
		}
		slot->context = contexts_add(f->contexts, &c);
		if (slot->context == CONTEXT_NONE)
			return -1;
	}
	return 0;
}

static bool has_place(const struct key_function *f, struct key_place at)
{
	size_t n;

	if (!frames_has_dump(f))
		at.column = 0;
	key_function_at(f, at, &n);
	return n != 0;
}

static bool has_call(const struct frames *f, const struct key_function *of,
		     const struct debuginfo_scope *s)
{
	size_t n;

	if (!frames_has_dump(of)) /* .gcno does not tell calls from others */
		return true;
	key_function_calls(of, call_line(s), frames_column(f, s->call_column), &n);
	return n != 0;
}

bool frames_owner(const struct frames *f, uint32_t at, struct key_place place, uint32_t *owner)
{
	const struct key_function *functions = f->keys->functions.items;

	for (;;) {
		uint32_t up = f->info.scopes.items[at].parent;

		/* frames of functions that gcc does not instrument are passed over */
		while (up != DEBUGINFO_NONE && f->scopes.items[up].function == KEY_NONE)
			up = f->info.scopes.items[up].parent;
		if (up == DEBUGINFO_NONE)
			break;
		if (f->scopes.items[at].function != KEY_NONE) {
			const struct key_function *caller =
				&functions[f->scopes.items[up].function];

			if (!has_place(caller, place) ||
			    has_call(f, caller, &f->info.scopes.items[at]))
				break;
		}
		at = up;
	}
	*owner = at;
	return f->scopes.items[at].function != KEY_NONE;
}

uint32_t frames_inner(struct frames *f, uint32_t owner, uint32_t at)
{
	const struct debuginfo_scope *s = &f->info.scopes.items[at];
	struct context_inner one;

	if (at == owner)
		return 0;
	one = (struct context_inner){.outer = frames_inner(f, owner, s->parent),
				     .line = call_line(s),
				     .column = frames_column(f, s->call_column)};
	return contexts_add_inner(f->contexts, &one);
}
