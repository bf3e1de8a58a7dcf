/* SPDX-License-Identifier: MIT */
/*
 * Instances of a function in the program: its own code, and each chain of calls that it was inlined
 * through. Equal chains are one, in however many places of the code they are.
 *
 * Inline stacks as gcc's counters see them: which functions of the key index the frames are, in
 * which context each stands, and which one counts a statement.
 */
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "converter/debuginfo/debuginfo.h"
#include "converter/gcc/counters/notes_index.h"

#define CONTEXT_NONE UINT32_MAX

/* What is around a function where it stands: a symbol, or a call in a function that has a context
 * of its own. */
struct context {
	uint32_t parent; /* of the caller; CONTEXT_NONE: `function` is the symbol itself */
	uint32_t name;	 /* of the symbol or the caller, as the debug information numbers it */
	uint32_t caller; /* the same as a function of the key index, or NOTES_NONE */
	uint32_t line, column; /* of the call */
};

/* Calls that were inlined before gcc counts, from the outermost on; number 0 is none. */
struct context_inner {
	uint32_t outer;
	uint32_t line, column;
};

/* Start zeroed. */
struct contexts {
	VECTOR(struct context) items;
	VECTOR(struct context_inner) inner;
	struct map known, known_inner;
};

void contexts_deinit(struct contexts *c);
/* The number of an equal context, or CONTEXT_NONE without memory. */
uint32_t contexts_add(struct contexts *c, const struct context *one);
/* The number of an equal one, or 0 without memory. */
uint32_t contexts_add_inner(struct contexts *c, const struct context_inner *one);
/* The order of two in the source, as strcmp has it. */
int contexts_compare_inner(const struct contexts *c, uint32_t a, uint32_t b);

static inline bool context_is_symbol(const struct contexts *c, uint32_t number)
{
	return c->items.items[number].parent == CONTEXT_NONE;
}

/* A scope of the symbol at hand, as what it is to the key index. */
struct context_frame {
	uint32_t function; /* NOTES_NONE = none */
	uint32_t context;
	uint32_t object; /* of the keys, that it was compiled in; NOTES_NONE = not known */
};

/* Start zeroed. */
struct context_frames {
	struct debuginfo *debug;
	struct notes_index *keys;
	struct contexts *contexts;
	VECTOR(uint32_t) files;	    /* debug information's file -> the key index' */
	VECTOR(uint32_t) functions; /* its name: NOTES_NONE = no function has it */

	/* of the symbol at hand */
	uint32_t symbol; /* its name without .cold, a number in the strings of the keys */
	uint32_t object; /* of the keys, that its unit was compiled to; NOTES_NONE = not known */
	struct debuginfo_function info;
	VECTOR(struct context_frame) scopes; /* info.scopes' */
};

void context_frames_deinit(struct context_frames *f);
/* The key index' number of a file of the debug information; 0 if it has none. */
uint32_t context_frames_file(struct context_frames *f, uint32_t file);
/* Set f->scopes for f->info. 0, or -1 without memory. */
int context_frames_find(struct context_frames *f);
/* Has the function's object a dump? .gcno alone has lines only. */
bool context_frames_has_dump(const struct notes_function *f);
/* Who counts a statement at @place that scope @at was made from? *owner = its scope; false if
 * nobody. */
bool context_frames_owner(const struct context_frames *f, uint32_t at, struct notes_place place,
			  uint32_t *owner);
/* The calls between @owner and @at, as contexts.h numbers them. */
uint32_t context_frames_inner(struct context_frames *f, uint32_t owner, uint32_t at);
