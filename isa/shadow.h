/* SPDX-License-Identifier: MIT */
/*
 * What look-ahead has written: the program's memory is never touched, so stores go here and loads
 * look here first. Single words in a hash, long copies and fills as ranges.
 *
 * A word's bytes count only where `written` says so; the ranges count where no word's byte does,
 * the newest first; behind them is the program's memory, unless a store went to an unknown address:
 * then only what was written after that store is known.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISA_SHADOW_SLOTS  8192 /* a power of two */
#define ISA_SHADOW_WORDS  4096 /* used at once: keeps probing short */
#define ISA_SHADOW_RANGES 16
#define ISA_SHADOW_LINES  4096 /* bits of the filter; a power of two */
#define ISA_SHADOW_RECENT 1024 /* a power of two */

struct isa_memory;

/* A value of which only some bits are known; the others are zero. */
struct isa_value {
	uint64_t bits, known;
};

struct isa_shadow_word {
	uint64_t address; /* a multiple of 8 */
	uint64_t bits, known;
	uint8_t written; /* a bit for each byte */
};

/* The bits of the bytes whose bit is set in a word's @written. */
static inline uint64_t isa_shadow_spread(uint8_t written)
{
	uint64_t low = (written & 0x7f) * UINT64_C(0x02040810204081) & UINT64_C(0x0101010101010101);

	return (low | (uint64_t)(written >> 7) << 56) * 0xff;
}

/* Where a word is: in use if the generation is the shadow's. */
struct isa_shadow_slot {
	uint16_t generation;
	uint16_t word;
};

/* A word that was touched and is known whole. */
struct isa_shadow_recent {
	uint64_t address; /* a multiple of 8; in a place that is free: another place's */
	uint8_t *at;	  /* its 8 bytes, in the program's memory or in a shadow word */
};

struct isa_shadow_range {
	uint64_t begin, end;
	uint64_t source;  /* the program's memory that was copied here */
	uint64_t pattern; /* else 8 bytes, repeated from begin on */
	bool copied, known;
};

struct isa_shadow {
	uint16_t generation;
	uint32_t words; /* in use */
	uint32_t ranges;
	uint64_t range_bytes; /* of all that were stored: long fills and copies */
	bool memory_unknown;  /* a store went to an unknown address */
	uint32_t changes;     /* of which words are written: one more for each */
	/* Lines of 64 bytes, several to a bit, with a word in them: most loads are from others, and
	 * need not look for it. */
	uint64_t lines[ISA_SHADOW_LINES / 64];
	/* What a path touches it mostly touches again: a look here instead of all the others. */
	struct isa_shadow_recent recent[ISA_SHADOW_RECENT];
	bool has_recent;   /* one of them is in use */
	uint32_t replaced; /* isa_memory's when they were looked at last */
	struct isa_shadow_range range[ISA_SHADOW_RANGES];
	/* Found by small slots, and one behind the other as they are met: a path's few words share
	 * few cache lines. */
	struct isa_shadow_slot slot[ISA_SHADOW_SLOTS];
	struct isa_shadow_word word[ISA_SHADOW_WORDS];
};

/* Forget every store: the start of a look-ahead. */
void isa_shadow_reset(struct isa_shadow *s);

/* A store went to an unknown address: nothing of memory is known from here on. */
void isa_shadow_forget(struct isa_shadow *s);

/* Store the low @bytes (1 to 8) of @v. False if the shadow is full. */
bool isa_shadow_store(struct isa_shadow *s, uint64_t address, unsigned bytes, struct isa_value v);

/* The bit of the line of 64 bytes at @address. */
static inline unsigned isa_shadow_line(uint64_t address)
{
	return (address >> 6 ^ address >> 18) % ISA_SHADOW_LINES;
}

/* Is one of @bytes written by a range? */
bool isa_shadow_ranges_touch(const struct isa_shadow *s, uint64_t address, uint64_t bytes);

/* Is it sure that nothing of @bytes (at most 64) was written? */
static inline bool isa_shadow_is_clean(const struct isa_shadow *s, uint64_t address, unsigned bytes)
{
	unsigned line = isa_shadow_line(address);
	uint64_t written = s->lines[line / 64] >> line % 64;

	if (address % 64 + bytes > 64) {
		line = isa_shadow_line(address + bytes - 1);
		written |= s->lines[line / 64] >> line % 64;
	}
	return !s->memory_unknown && !(written & 1) &&
	       !(s->ranges && isa_shadow_ranges_touch(s, address, bytes));
}

/* Where the @bytes (1, 2, 4 or 8, aligned) at @address are, if their word was touched before and is
 * known whole; else NULL. */
static inline uint8_t *isa_shadow_recall(struct isa_shadow *s, uint64_t address, unsigned bytes)
{
	const struct isa_shadow_recent *r = &s->recent[address / 8 % ISA_SHADOW_RECENT];

	if (r->address != (address & ~(uint64_t)(8 - bytes)))
		return NULL;
	return bytes == 8 ? r->at : r->at + address % 8;
}

/* The same for a word that was written: the bytes may be changed there. */
static inline uint8_t *isa_shadow_recall_written(struct isa_shadow *s, uint64_t address,
						 unsigned bytes)
{
	uint8_t *at = isa_shadow_recall(s, address, bytes);

	return (uintptr_t)at - (uintptr_t)s->word < sizeof(s->word) ? at : NULL;
}

/* isa_shadow_recall finds nothing any more; @replaced: isa_memory's now. */
void isa_shadow_forget_recent(struct isa_shadow *s, uint32_t replaced);

/* Where the @bytes are (1, 2, 4 or 8), as isa_shadow_recall finds them from here on; NULL: they
 * have to be loaded. */
const uint8_t *isa_shadow_touch(struct isa_shadow *s, const struct isa_memory *m, uint64_t address,
				unsigned bytes);

/* isa_shadow_load, which sees to it that isa_shadow_recall finds what is loaded again. */
bool isa_shadow_load_again(struct isa_shadow *s, const struct isa_memory *m, uint64_t address,
			   unsigned bytes, struct isa_value *out);

/* isa_shadow_store, which sees to it that isa_shadow_recall_written finds the word. */
bool isa_shadow_store_again(struct isa_shadow *s, const struct isa_memory *m, uint64_t address,
			    unsigned bytes, struct isa_value v);

/* Load @bytes (1 to 8). False if the memory can't be read. */
bool isa_shadow_load(const struct isa_shadow *s, const struct isa_memory *m, uint64_t address,
		     unsigned bytes, struct isa_value *out);

/*
 * Store @bytes of a repeated 8-byte @pattern (NULL: unknown bytes). False if the shadow is full.
 */
bool isa_shadow_fill(struct isa_shadow *s, uint64_t address, uint64_t bytes,
		     const uint64_t *pattern);

/* Is a single word between @begin and @end written (since the last fill or copy there)? */
bool isa_shadow_touched(const struct isa_shadow *s, uint64_t begin, uint64_t end);

/* Is one of the 8 bytes at @address, a multiple of 8, written by a range, or by one of the first
 * @words words? */
bool isa_shadow_wrote(const struct isa_shadow *s, uint64_t address, uint32_t words);

/* Store a copy of @bytes at @source, which must not reach into what is written. False: full. */
bool isa_shadow_copy(struct isa_shadow *s, uint64_t address, uint64_t source, uint64_t bytes);
