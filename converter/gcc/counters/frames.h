/* SPDX-License-Identifier: MIT */
/*
 * Inline stacks as gcc's counters see them: which functions of the key index the frames are, in
 * which context each stands, and which one counts a statement.
 */
#ifndef CONVERTER_GCC_COUNTERS_FRAMES_H
#define CONVERTER_GCC_COUNTERS_FRAMES_H

#include "converter/debuginfo/debuginfo.h"
#include "converter/gcc/counters/contexts.h"
#include "converter/gcc/counters/key_index.h"

/* A scope of the symbol at hand, as what it is to the key index. */
struct frame {
	uint32_t function; /* KEY_NONE = none */
	uint32_t context;
	uint32_t object; /* of the keys, that it was compiled in; KEY_NONE = not known */
};

/* Start zeroed. */
struct frames {
	struct debuginfo *debug;
	struct key_index *keys;
	struct contexts *contexts;
	VECTOR(uint32_t) files;	    /* debug information's file -> the key index' */
	VECTOR(uint32_t) functions; /* its name: KEY_NONE = no function has it */

	/* of the symbol at hand */
	uint32_t symbol; /* its name without .cold, a number in the strings of the keys */
	uint32_t object; /* of the keys, that its unit was compiled to; KEY_NONE = not known */
	struct debuginfo_function info;
	VECTOR(struct frame) scopes; /* info.scopes' */
};

void frames_deinit(struct frames *f);
/* The key index' number of a file of the debug information; 0 if it has none. */
uint32_t frames_file(struct frames *f, uint32_t file);
/* Set f->scopes for f->info. 0, or -1 without memory. */
int frames_find(struct frames *f);
/* Has the function's object a dump? .gcno alone has lines only. */
bool frames_has_dump(const struct key_function *f);
/* Columns, where they are looked at. */
uint32_t frames_column(const struct frames *f, uint32_t column);
/* Who counts a statement at @place that scope @at was made from? *owner = its scope; false if
 * nobody. */
bool frames_owner(const struct frames *f, uint32_t at, struct key_place place, uint32_t *owner);
/* The calls between @owner and @at, as contexts.h numbers them. */
uint32_t frames_inner(struct frames *f, uint32_t owner, uint32_t at);

#endif
