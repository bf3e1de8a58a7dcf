/* SPDX-License-Identifier: MIT */
/*
 * Places of the predicted path that it comes to for the first time: a block of code that did not
 * run before, or a word of memory that was not touched. A breakpoint there is hit when the program
 * gets so far and not earlier, although in a loop every address of its code comes again and again.
 */
#pragma once

#include "collector/engine/cache_lines.h"
#include "collector/engine/rate.h"
#include "isa/host.h"

enum first_touch_kind {
	FIRST_TOUCH_NONE,
	FIRST_TOUCH_CODE, /* to be run */
	FIRST_TOUCH_WORD, /* to be loaded or written; a multiple of 8 */
};

struct first_touch {
	enum first_touch_kind kind;
	uint64_t address;
	uint64_t begin, end, next; /* the block that gets there, and what runs behind it */
	struct rate_work work;	   /* from the trace's start up to the block */
};

#define FIRST_TOUCH_BLOCKS 4096u /* a power of two */

struct first_touches {
	unsigned skipped; /* branches before the first one that is of interest */
	unsigned met;	  /* blocks */
	struct cache_lines *lines;
	struct first_touch first, second, last; /* second: the next that is farther than first */
	uint16_t look_ahead;
	uint64_t blocks[FIRST_TOUCH_BLOCKS]; /* the address << 16 | look_ahead */
};

/* The place of the block at @address in that table. */
static inline size_t first_touch_place(uint64_t address)
{
	_Static_assert(FIRST_TOUCH_BLOCKS == 1u << (64 - 52), "the shift must match the table");
	return address * 0x9e3779b97f4a7c15u >> 52;
}

/* A look-ahead begins; so does one of l->lines. */
void first_touch_begin(struct first_touches *l, unsigned depth);
/* For first_touch_enter. */
bool first_touch_look_up(struct first_touches *l, uint64_t address);

/* The path comes to the block at @address: did it run it before? If there is no room to remember
 * it, it did. */
static inline bool first_touch_enter(struct first_touches *l, uint64_t address)
{
	/* nearly always where it is looked for first */
	return l->blocks[first_touch_place(address)] == (address << 16 | l->look_ahead) ||
	       first_touch_look_up(l, address);
}

/* Where the next point is to be filled in that is of interest: behind l->skipped branches. Then
 * first_touch_keep. */
static inline struct first_touch *first_touch_next(struct first_touches *l)
{
	return l->first.kind ? &l->last : &l->first;
}

static inline void first_touch_keep(struct first_touches *l, const struct first_touch *met)
{
	if (met == &l->last && !l->second.kind && met->work.branches > l->first.work.branches)
		l->second = *met;
}

/* The word that the block loaded as the first one of the path, or 0. */
static inline uint64_t first_touch_word(const struct first_touches *l)
{
	return l->lines->fresh_word;
}

/* Is a thread that stopped at its breakpoint, at @pc now, where the first-touch point is? */
static inline bool first_touch_is_at(const struct first_touch *l, uint64_t pc)
{
	if (l->kind == FIRST_TOUCH_CODE)
		return pc == l->address;
	return ISA_HOST_STOPS_BEHIND ? (pc > l->begin && pc <= l->end) || pc == l->next
				     : pc >= l->begin && pc < l->end;
}
