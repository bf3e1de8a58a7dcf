/* SPDX-License-Identifier: MIT */
/*
 * Places of the predicted path that it comes to for the first time: a block of code that did not
 * run before, or a word of memory that was not touched. A breakpoint there is hit when the program
 * gets so far and not earlier, although in a loop every address of its code comes again and again.
 */
#ifndef COLLECTOR_CORE_LANDMARKS_H
#define COLLECTOR_CORE_LANDMARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/cache_lines.h"
#include "collector/core/rate.h"

enum landmark_kind {
	LANDMARK_NONE,
	LANDMARK_CODE, /* to be run */
	LANDMARK_WORD, /* to be loaded; a multiple of 8 */
};

struct landmark {
	enum landmark_kind kind;
	uint64_t address;
	uint64_t begin, end, next; /* the block that gets there, and what runs behind it */
	struct rate_work work;	   /* from the trace's start up to the block */
};

#define LANDMARKS_BLOCKS 4096u /* a power of two */

struct landmarks {
	unsigned half; /* branches before the first one that is of interest */
	struct cache_lines *lines;
	struct landmark first, second, last; /* second: the next that is farther than first */
	struct landmark at;		     /* the block that is being evaluated */
	uint16_t look_ahead;
	uint64_t blocks[LANDMARKS_BLOCKS]; /* the address << 16 | look_ahead */
};

/* A look-ahead begins; so does one of l->lines. */
void landmarks_begin(struct landmarks *l, unsigned depth);
/* It comes to the block at @address, after @work; before the block is evaluated. */
void landmarks_enter(struct landmarks *l, uint64_t address, uint32_t bytes,
		     const struct rate_work *work);
/* It came through the block, to @next. @written: was its new word written before? */
void landmarks_leave(struct landmarks *l, uint64_t next, bool written);

/* The word that the block loaded as the first one of the path, or 0. */
static inline uint64_t landmarks_word(const struct landmarks *l)
{
	return l->lines->fresh_word;
}

/* Is a thread that stopped at its breakpoint, at @pc now, where the landmark is? */
static inline bool landmark_is_at(const struct landmark *l, uint64_t pc)
{
	return l->kind == LANDMARK_CODE ? pc == l->address
					: (pc > l->begin && pc <= l->end) || pc == l->next;
}

#endif
