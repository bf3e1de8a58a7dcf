/* SPDX-License-Identifier: MIT */
/*
 * Places of the predicted path that it comes to for the first time: a block of code that did not
 * run before, or a word of memory that was not touched. A breakpoint there is hit when the program
 * gets so far and not earlier, although in a loop every address of its code comes again and again.
 */
#ifndef COLLECTOR_ENGINE_LANDMARKS_H
#define COLLECTOR_ENGINE_LANDMARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/engine/cache_lines.h"
#include "collector/engine/rate.h"
#include "isa/host.h"

enum landmark_kind {
	LANDMARK_NONE,
	LANDMARK_CODE, /* to be run */
	LANDMARK_WORD, /* to be loaded or written; a multiple of 8 */
};

struct landmark {
	enum landmark_kind kind;
	uint64_t address;
	uint64_t begin, end, next; /* the block that gets there, and what runs behind it */
	struct rate_work work;	   /* from the trace's start up to the block */
};

#define LANDMARKS_BLOCKS 4096u /* a power of two */

struct landmarks {
	unsigned skipped; /* branches before the first one that is of interest */
	unsigned met;	  /* blocks */
	struct cache_lines *lines;
	struct landmark first, second, last; /* second: the next that is farther than first */
	uint16_t look_ahead;
	uint64_t blocks[LANDMARKS_BLOCKS]; /* the address << 16 | look_ahead */
};

/* Of the block at @address in that table. */
static inline size_t landmarks_place(uint64_t address)
{
	_Static_assert(LANDMARKS_BLOCKS == 1u << (64 - 52), "the shift must match the table");
	return address * 0x9e3779b97f4a7c15u >> 52;
}

/* A look-ahead begins; so does one of l->lines. */
void landmarks_begin(struct landmarks *l, unsigned depth);
/* For landmarks_enter. */
bool landmarks_look_up(struct landmarks *l, uint64_t address);

/* It comes to the block at @address: did it run it before? If there is no room to remember it, it
 * did. */
static inline bool landmarks_enter(struct landmarks *l, uint64_t address)
{
	l->lines->fresh_word = 0;
	/* nearly always where it is looked for first */
	return l->blocks[landmarks_place(address)] == (address << 16 | l->look_ahead) ||
	       landmarks_look_up(l, address);
}

/* A block that did not run before, or the new word of one: kept if it is of interest. */
void landmarks_note(struct landmarks *l, const struct landmark *met);

/* The word that the block loaded as the first one of the path, or 0. */
static inline uint64_t landmarks_word(const struct landmarks *l)
{
	return l->lines->fresh_word;
}

/* Is a thread that stopped at its breakpoint, at @pc now, where the landmark is? */
static inline bool landmark_is_at(const struct landmark *l, uint64_t pc)
{
	if (l->kind == LANDMARK_CODE)
		return pc == l->address;
	return ISA_HOST_STOPS_BEHIND ? (pc > l->begin && pc <= l->end) || pc == l->next
				     : pc >= l->begin && pc < l->end;
}

#endif
