/* SPDX-License-Identifier: MIT */
/* gcc's graphs and attributions of them, made by hand. Files are named by their whole path, places
 * by line and column; all calls fail the test without memory. */
#pragma once

#include <string.h>

#include "base/memory.h"
#include "converter/gcc/counters/attributions.h"
#include "converter/gcc/counters/notes_index.h"

static inline void made_graph_init(struct gcc_graph *g)
{
	assert_int_equal(gcc_graph_init(g), 0);
}

static inline uint32_t made_text(struct gcc_graph *g, const char *text)
{
	uint32_t number = strings_add_text(g->strings, text);

	assert_int_not_equal(number, STRINGS_NONE);
	return number;
}

/* With room for the blocks of a dump, if it has one. Valid until the next one is added. */
static inline struct gcc_function *made_function(struct gcc_graph *g, const char *name,
						 const char *file, uint32_t blocks, bool dumped)
{
	struct gcc_function *f = vector_push(&g->functions);

	assert_non_null(f);
	f->ident = (uint32_t)g->functions.count;
	f->name = made_text(g, name);
	f->file = made_text(g, file);
	f->line = 1;
	f->block_count = blocks;
	if (dumped)
		for (uint32_t i = 0; i < blocks; i++)
			assert_non_null(vector_push(&f->blocks));
	return f;
}

static inline void made_arc(struct gcc_function *f, uint32_t from, uint32_t to, uint32_t flags)
{
	struct gcc_arc *a = vector_push(&f->arcs);

	assert_non_null(a);
	*a = (struct gcc_arc){from, to, flags};
}

static inline void made_statement(struct gcc_graph *g, struct gcc_function *f, uint32_t block,
				  const char *file, uint32_t line, uint32_t column)
{
	struct gcc_statement *s = vector_push(&f->statements);

	assert_non_null(s);
	*s = (struct gcc_statement){block, {made_text(g, file), line, column}};
}

static inline void made_condition(struct gcc_graph *g, struct gcc_function *f, uint32_t block,
				  const char *file, uint32_t line, uint32_t column)
{
	made_statement(g, f, block, file, line, column);
	f->blocks.items[block].condition = (struct gcc_place){made_text(g, file), line, column};
}

/* @callee: NULL = by a pointer. */
static inline void made_call(struct gcc_graph *g, struct gcc_function *f, uint32_t block,
			     const char *callee, uint32_t line, uint32_t column)
{
	struct gcc_call *c = vector_push(&f->calls);

	assert_non_null(c);
	*c = (struct gcc_call){block, callee ? made_text(g, callee) : 0, {f->file, line, column}};
}

/* The index of one object. */
static inline void made_index(struct notes_index *k, const struct gcc_graph *g)
{
	assert_int_equal(notes_index_add(k, g, 0), 0);
	assert_int_equal(notes_index_finish(k), 0);
}

static inline struct notes_place made_place(const struct notes_index *k, const char *file,
					    uint32_t line, uint32_t column)
{
	return (struct notes_place){strings_find(k->strings, file, strlen(file)), line, column};
}
