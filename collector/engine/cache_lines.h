/* SPDX-License-Identifier: MIT */
/*
 * The cache lines that a look-ahead loads for the first time, and which of them were not in the
 * caches: loads that the program is going to wait for. Look-ahead brings them in, which would make
 * the program faster than it is; cache_lines_restore puts them out again. Those of a farther cache
 * stay in the nearest: how long the program would have waited for them is summed up.
 */
#pragma once

#include "collector/engine/reservoir.h"
#include "isa/evaluate.h"
#include "isa/host.h"

#define LINES_PAGES	 1024u /* a power of two */
#define LINES_PAGE_BYTES 4096u
#define LINES_SLOW	 4096u

/*
 * How long look-ahead's first loads of cache lines took (record --times): by which instruction of
 * the program, from where. Look-ahead loads what the program is going to load, so caches answer as
 * they would have; the time is that of one load by itself.
 */

/* Lines are loaded and timed one by one. */
#define LOAD_TIMES_ARE_RECORDED ISA_LINES_ARE_TIMED
#define LOAD_TIMES_MOST		1024u

struct load_time {
	uint64_t site; /* address of the instruction */
	uint64_t line;
	uint64_t ticks; /* isa/host.h */
};

/* Zeroed, with room in @items for @kept.most, and who evaluates, it is ready. */
struct load_times {
	struct load_time *items;
	struct reservoir kept;
	struct isa_state *const *state; /* whose pc is at the instruction that loads */
};

/* @line was loaded. */
static inline void load_times_add(struct load_times *l, const uint8_t *line, uint64_t ticks)
{
	uint32_t at = reservoir_place(&l->kept);

	if (at != RESERVOIR_NOWHERE)
		l->items[at] = (struct load_time){isa_state_pc(*l->state), (uintptr_t)line, ticks};
}

/* What a look-ahead loaded. */
struct cache_lines_count {
	uint64_t slow, wait_ticks, copied;
};

struct cache_lines {
	/* a load from the nearest cache takes so long; what takes longer came from a farther cache,
	 * from memory */
	uint64_t near_ticks, farther_ticks, slow_ticks;
	uint64_t slow;	     /* loads of this look-ahead from memory */
	uint64_t wait_ticks; /* of those from farther caches: beyond near_ticks each */
	uint64_t copied;     /* lines that were loaded from copies of their pages */
	unsigned listed;     /* of the slow ones, to be put out */
	uint16_t look_ahead;
	struct load_times *times; /* of first loads are noted here, if not NULL */
	uint64_t fresh_word; /* the last 8 bytes that were met first, set to 0 by who wants it */
	struct cache_lines_count before; /* when fresh_word was 0 last */
	bool crowded;			 /* a page found no room: what was met of it is not known */
	/* What was met, by page, as a path mostly goes on where it was before: the page's number
	 * << 16 | look_ahead, and for each of its lines which of the 8 words, in rows in the order
	 * in which pages were met: most look-aheads touch few of them. One more is for pages that
	 * found no room, each time anew. */
	uint64_t met[LINES_PAGES];
	uint16_t rows[LINES_PAGES], pages;
	uint8_t words[LINES_PAGES + 1][LINES_PAGE_BYTES / 64];
	const uint8_t *list[LINES_SLOW];
};

/* A look-ahead begins: no line was met. */
void cache_lines_begin(struct cache_lines *l);
/* The look-ahead loads @size bytes at @bytes, which can be read. */
void cache_lines_load(struct cache_lines *l, const uint8_t *bytes, size_t size);
/* The look-ahead loads @size bytes at @address from a copy of their page: nothing is timed. */
void cache_lines_note(struct cache_lines *l, uint64_t address, size_t size);
/* The same for bytes of the one page whose @words are known, by cache_lines_page. */
void cache_lines_touch(struct cache_lines *l, const uint8_t *words, uint64_t address, size_t size,
		       bool in_place);
/* The line at @line is loaded for the first time. */
void cache_lines_meet(struct cache_lines *l, uint64_t line, bool in_place);

/* The same for one @word of the page, its address / 8. */
static inline void cache_lines_touch_word(struct cache_lines *l, const uint8_t *words,
					  uint64_t word, bool in_place)
{
	uint8_t *line = (uint8_t *)&words[word / 8 % (LINES_PAGE_BYTES / ISA_LINE_BYTES)];
	uint8_t bit = (uint8_t)(1u << word % 8);

	_Static_assert(ISA_LINE_BYTES == 64, "a byte for the 8 words of a line");
	if (*line & bit)
		return;
	if (!l->fresh_word)
		l->before = (struct cache_lines_count){l->slow, l->wait_ticks, l->copied};
	if (!*line)
		cache_lines_meet(l, word * 8 & ~(uint64_t)(ISA_LINE_BYTES - 1), in_place);
	l->fresh_word = word * 8;
	*line |= bit;
}

/* Which of the 8 words were loaded, as bits, of each line of the page at @address, in order; NULL:
 * nothing is known of them. Good until the next look-ahead begins. */
const uint8_t *cache_lines_page(const struct cache_lines *l, uint64_t address);
/* Did it load none of the 8 bytes at @address, a multiple of 8? */
bool cache_lines_is_fresh(const struct cache_lines *l, uint64_t address);
/* Before the program goes on: what was not in the caches is not there again. The memory must still
 * be mapped, as it was when it was loaded. */
void cache_lines_restore(struct cache_lines *l);
