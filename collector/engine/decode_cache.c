/* SPDX-License-Identifier: MIT */
#include "collector/engine/decode_cache.h"

#include <string.h>

#include "base/atomics.h"

/* A chain of probes longer than this counts as no room. */
#define PROBES_MAX 16u
#define UNIT	   DECODE_CACHE_UNIT
/* A process that lives for one trace keeps some hundred blocks: they are found in a small table of
 * four pages. What finds no room in a few slots of it, which fills up, is in the large one. */
#define FIRST_BITS   12
#define FIRST_PROBES 3u
#define FIRST_BYTES  ((1u << FIRST_BITS) * sizeof(uint32_t))

/* With a table of at most @table_bytes in front. */
static void init(struct decode_cache *b, void *memory, size_t bytes, size_t table_bytes)
{
	uint8_t *arena;
	uint32_t slots = 1;

	while ((uint64_t)slots * 2 * sizeof(*b->slots) <= table_bytes)
		slots *= 2;
	*b = (struct decode_cache){
		.slots = memory,
		.slot_mask = slots - 1,
		.arena_bytes = bytes - slots * sizeof(*b->slots),
		/* offset 0 stands for a free slot */
		.used = UNIT + FIRST_BYTES,
	};
	arena = (uint8_t *)memory + slots * sizeof(*b->slots);
	b->first_slots = (uint32_t *)(arena + UNIT);
	if (b->arena_bytes > (uint64_t)DECODE_CACHE_PIECE * DECODE_CACHE_PIECES)
		b->arena_bytes = (uint64_t)DECODE_CACHE_PIECE * DECODE_CACHE_PIECES;
	for (uint64_t at = 0; at < b->arena_bytes; at += DECODE_CACHE_PIECE)
		b->pieces[at / DECODE_CACHE_PIECE] = arena + at;
}

void decode_cache_init(struct decode_cache *b, void *memory, size_t bytes)
{
	init(b, memory, bytes, bytes / 16);
}

void decode_cache_init_growing(struct decode_cache *b, void *memory, size_t bytes,
			       size_t bytes_most, void *(*more)(size_t bytes))
{
	uint64_t pieces;

	init(b, memory, bytes, bytes_most / 64);
	/* what is there ends with a piece, behind which others begin */
	pieces = b->arena_bytes / DECODE_CACHE_PIECE;
	for (uint64_t i = pieces; i < DECODE_CACHE_PIECES; i++)
		b->pieces[i] = NULL;
	while (pieces < DECODE_CACHE_PIECES && pieces * DECODE_CACHE_PIECE < bytes_most)
		pieces++;
	b->arena_bytes = pieces * DECODE_CACHE_PIECE;
	b->more = more;
}

/* A slot: the unit, and above it the tag. */
#define UNIT_BITS 22
#define UNIT_MASK ((1u << UNIT_BITS) - 1)

_Static_assert(DECODE_CACHE_PIECES *(DECODE_CACHE_PIECE / UNIT) <= 1u << UNIT_BITS,
	       "a slot has room for each unit");

static uint64_t hash_of(uint64_t address)
{
	return address * 0x9e3779b97f4a7c15u;
}

static uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)(hash >> UNIT_BITS) & ~UNIT_MASK;
}

/* In the large table, blocks of code that lies together are found in one page. */
#define PAGE_SLOTS_BITS 10
#define CODE_PAGE_BITS	13

/* Where the block at @address is looked for @i-th, up to a slot that is free: none is again. */
static inline uint32_t *slot_at(const struct decode_cache *b, uint64_t address, unsigned i)
{
	uint64_t hash = hash_of(address), page;

	if (i < FIRST_PROBES)
		return &b->first_slots[((hash >> (64 - FIRST_BITS)) + i) % (1u << FIRST_BITS)];
	page = hash_of(address >> CODE_PAGE_BITS) >> 32;
	return &b->slots[((page << PAGE_SLOTS_BITS | hash >> (64 - PAGE_SLOTS_BITS)) + i -
			  FIRST_PROBES) &
			 b->slot_mask];
}

const struct isa_block *decode_cache_find(const struct decode_cache *b, uint64_t address)
{
	uint32_t valid = atomic_read_acquire(&b->valid_unit), tag = tag_of(hash_of(address));

	for (unsigned i = 0; i < FIRST_PROBES + PROBES_MAX; i++) {
		/* acquires the swap in decode_cache_keep, behind which the block is whole */
		uint32_t slot = atomic_read_acquire(slot_at(b, address, i));
		uint32_t unit = slot ^ tag;
		const struct isa_block *block;

		if (!slot)
			return NULL;
		if (unit > UNIT_MASK || unit < valid)
			continue;
		block = decode_cache_at(b, unit);
		if (block->address == address)
			return block;
	}
	return NULL;
}

const struct isa_block *decode_cache_next(const struct decode_cache *b,
					  const struct isa_block *block, bool taken,
					  uint64_t address)
{
	/* acquires the release below, by a thread that had acquired the block */
	const struct isa_block *next = atomic_read_acquire(&block->next[taken]);

	if (next && next->address == address)
		return next;
	next = decode_cache_find(b, address);
	if (next)
		atomic_write_release((const struct isa_block **)&block->next[taken], next);
	return next;
}

/* The piece that begins at @at; NULL without memory. */
static uint8_t *make_piece(struct decode_cache *b, uint64_t at)
{
	uint8_t **place = &b->pieces[at / DECODE_CACHE_PIECE];
	uint8_t *piece = atomic_read_acquire(place), *fresh;

	if (piece || !b->more)
		return piece;
	fresh = b->more(DECODE_CACHE_PIECE);
	if (!fresh)
		return NULL;
	/* one that another thread made meanwhile: ours is lost, at most once per piece and thread
	 */
	atomic_swap_if(place, NULL, fresh);
	return atomic_read_acquire(place);
}

/* Room in one piece: what does not fit behind the others in theirs begins the next. */
static bool take_room(struct decode_cache *b, uint64_t whole, uint64_t *at)
{
	do {
		if (atomic_read_relaxed(&b->used) + whole > b->arena_bytes)
			return false;
		*at = atomic_add_relaxed(&b->used, whole);
		if (*at + whole > b->arena_bytes)
			return false;
	} while (*at % DECODE_CACHE_PIECE + whole > DECODE_CACHE_PIECE);
	return true;
}

static struct isa_block *allocate(struct decode_cache *b, const struct isa_block *block,
				  uint32_t *unit)
{
	size_t bytes = offsetof(struct isa_block, records) +
		       isa_block_records(block) * sizeof(block->records[0]);
	uint64_t whole = (bytes + UNIT - 1) & ~(uint64_t)(UNIT - 1), at;
	uint8_t *piece;

	if (!take_room(b, whole, &at))
		return NULL;
	piece = make_piece(b, at);
	if (!piece)
		return NULL;
	piece += at % DECODE_CACHE_PIECE;
	memcpy(piece, block, bytes);
	*unit = (uint32_t)(at / UNIT);
	return (void *)piece;
}

const struct isa_block *decode_cache_keep(struct decode_cache *b, const struct isa_block *block)
{
	uint32_t unit, tag = tag_of(hash_of(block->address));
	struct isa_block *kept = allocate(b, block, &unit);

	for (unsigned i = 0; kept && i < FIRST_PROBES + PROBES_MAX; i++) {
		uint32_t *slot = slot_at(b, block->address, i), old = atomic_read_relaxed(slot);

		if ((!old || (old & UNIT_MASK) < atomic_read_relaxed(&b->valid_unit)) &&
		    atomic_swap_if(slot, old, unit | tag))
			return kept;
	}
	atomic_add_relaxed(&b->refused, 1);
	return block;
}

void decode_cache_forget(struct decode_cache *b)
{
	uint64_t used = atomic_read_relaxed(&b->used);

	if (used > b->arena_bytes)
		used = b->arena_bytes; /* full: what was refused counted on */
	atomic_write_release(&b->valid_unit, (uint32_t)((used + UNIT - 1) / UNIT));
}
