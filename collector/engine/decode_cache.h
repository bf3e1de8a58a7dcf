/* SPDX-License-Identifier: MIT */
/*
 * The decode cache: straight-line code as records, decoded once per process and shared by its
 * threads without locks. Blocks are never changed, but for their links, or freed, so a pointer to
 * one stays good.
 *
 * Code that is rewritten at the same address (a JIT, an unloaded library) is found as it was; what
 * look-ahead then claims is refuted at the next stop or audit, and decode_cache_forget starts anew.
 */
#pragma once

#include "base/atomics.h"
#include "isa/path.h"

/* The room for blocks is made in pieces of so much. */
#define DECODE_CACHE_PIECE  (1u << 20)
#define DECODE_CACHE_PIECES 64u
#define DECODE_CACHE_UNIT   16u

struct decode_cache {
	uint8_t *pieces[DECODE_CACHE_PIECES]; /* atomic; NULL: not there yet */
	void *(*more)(size_t bytes);	      /* makes another one; or NULL */
	uint64_t arena_bytes;		      /* of all pieces */
	uint64_t used;			      /* atomic */
	/* atomic: offset of a block in units of 16 bytes, and above it a part of its address's
	 * hash, by which most others are told without a look at them; 0 = free */
	uint32_t *first_slots, *slots; /* of the small table, in the arena, and of the large one */
	uint32_t slot_mask;
	uint32_t valid_unit; /* atomic: blocks before it are forgotten */
	uint64_t refused;    /* blocks that found no room; atomic */
};

/* @memory is zeroed, @bytes of it (a megabyte at least): its first sixteenth becomes the table. */
void decode_cache_init(struct decode_cache *c, void *memory, size_t bytes);
/*
 * The same, which becomes larger as it fills, up to @bytes_most: @more gives it zeroed memory, also
 * in handlers, or NULL. Its table is made for all: a sixty-fourth of @bytes_most of @memory.
 */
void decode_cache_init_growing(struct decode_cache *c, void *memory, size_t bytes,
			       size_t bytes_most, void *(*more)(size_t bytes));
/* The block that begins at @address, or NULL. */
const struct isa_block *decode_cache_find(const struct decode_cache *c, uint64_t address);
/* The block of a unit of room that is known to be one. */
static inline const struct isa_block *decode_cache_at(const struct decode_cache *c, uint32_t unit)
{
	/* acquires the swap in make_piece; who knows of the unit has seen it */
	const uint8_t *piece = atomic_read_acquire(
		&c->pieces[unit / (DECODE_CACHE_PIECE / DECODE_CACHE_UNIT)]);

	return (const void *)(piece + (uint64_t)unit * DECODE_CACHE_UNIT % DECODE_CACHE_PIECE);
}

/*
 * The same for what comes behind @block, by a taken branch or by none. A path runs the same few
 * blocks over and over: each remembers its successors, so that the table is rarely asked. From
 * blocks that are not forgotten, links lead to none that is.
 */
const struct isa_block *decode_cache_next(const struct decode_cache *c,
					  const struct isa_block *block, bool taken,
					  uint64_t address);
/* Bring what came behind the block nearer. */
static inline void decode_cache_prefetch(const struct isa_block *block)
{
	for (unsigned i = 0; i < 2; i++) {
		const char *next = (const char *)atomic_read_acquire(&block->next[i]);

		if (!next)
			continue;
		__builtin_prefetch(next);
		__builtin_prefetch(next + 64);
	}
}
/* Keep a copy of @block, whose links are 0; where there is no room, @block itself is returned. */
const struct isa_block *decode_cache_keep(struct decode_cache *c, const struct isa_block *block);
/* Nothing is found any more; in a moment, whatever the size. Blocks in use stay good, and their
 * room is not used again. */
void decode_cache_forget(struct decode_cache *c);
