/* SPDX-License-Identifier: MIT */
#include "collector/core/decode_cache.h"

#include <string.h>

#include "base/atomics.h"

/* A chain of probes longer than this counts as no room. */
#define PROBES_MAX 16u
#define UNIT	   16u

void decode_cache_init(struct decode_cache *b, void *memory, size_t bytes)
{
	uint32_t slots = 1;

	while ((uint64_t)slots * 2 * sizeof(*b->slots) <= bytes / 16)
		slots *= 2;
	*b = (struct decode_cache){
		.slots = memory,
		.slot_mask = slots - 1,
		.arena = (uint8_t *)memory + slots * sizeof(*b->slots),
		.arena_bytes = bytes - slots * sizeof(*b->slots),
		.used = UNIT, /* offset 0 stands for a free slot */
	};
}

static uint32_t first_slot(const struct decode_cache *b, uint64_t address)
{
	return (uint32_t)(address * 0x9e3779b97f4a7c15u >> 32) & b->slot_mask;
}

static const struct decode_cache_block *block_at(const struct decode_cache *b, uint32_t unit)
{
	return (const void *)(b->arena + (uint64_t)unit * UNIT);
}

const struct decode_cache_block *decode_cache_find(const struct decode_cache *b, uint64_t address)
{
	uint32_t at = first_slot(b, address), valid = atomic_read_acquire(&b->valid_unit);

	for (unsigned i = 0; i < PROBES_MAX; i++, at = (at + 1) & b->slot_mask) {
		/* acquires the swap in decode_cache_keep, behind which the block is whole */
		uint32_t unit = atomic_read_acquire(&b->slots[at]);

		if (!unit)
			return NULL;
		if (unit >= valid && block_at(b, unit)->address == address)
			return block_at(b, unit);
	}
	return NULL;
}

static struct decode_cache_block *allocate(struct decode_cache *b,
					   const struct decode_cache_block *block, uint32_t *unit)
{
	size_t bytes = offsetof(struct decode_cache_block, records) +
		       block->count * sizeof(block->records[0]);
	uint64_t whole = (bytes + UNIT - 1) & ~(uint64_t)(UNIT - 1), at;

	if (atomic_read_relaxed(&b->used) + whole > b->arena_bytes)
		return NULL;
	at = atomic_add_relaxed(&b->used, whole);
	if (at + whole > b->arena_bytes)
		return NULL;
	memcpy(b->arena + at, block, bytes);
	*unit = (uint32_t)(at / UNIT);
	return (void *)(b->arena + at);
}

const struct decode_cache_block *decode_cache_keep(struct decode_cache *b,
						   const struct decode_cache_block *block)
{
	uint32_t at = first_slot(b, block->address), unit;
	struct decode_cache_block *kept = allocate(b, block, &unit);

	for (unsigned i = 0; kept && i < PROBES_MAX; i++, at = (at + 1) & b->slot_mask) {
		uint32_t old = atomic_read_relaxed(&b->slots[at]);

		if ((!old || old < atomic_read_relaxed(&b->valid_unit)) &&
		    atomic_swap_if(&b->slots[at], old, unit))
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
