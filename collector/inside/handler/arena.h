/* SPDX-License-Identifier: MIT */
/*
 * Items that threads need, in memory that grows with them: addresses count as well where a program
 * has a limit (ulimit -v). Segments are mapped when their first item is asked for and stay as long
 * as items may be used, so that an item's address stays good: late signals carry them. Readers in
 * handlers take no lock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARENA_SEGMENTS 1024u
#define ARENA_NONE     UINT32_MAX

struct arena {
	size_t item_bytes;
	uint32_t segment_items;
	/* The child of a fork finds all zeroed: nothing is copied, neither by the fork nor by who
	 * writes behind it. Set behind arena_init; false again where the kernel can't (Linux 4.14).
	 */
	bool wiped;
	uintptr_t segments[ARENA_SEGMENTS]; /* atomic; 0: not mapped yet; filled in order */
};

/* Zeroed memory for us alone, in small pages; NULL if there is none. */
void *arena_map(size_t bytes);
/* What is there stays as it is. */
void arena_init(struct arena *a, size_t item_bytes, uint32_t segment_items);
/* Item @i, zeroed at first; its segment is mapped if need be. NULL without memory. Who asks for one
 * has asked for the ones before it. */
void *arena_make(struct arena *a, uint32_t i);
/* Item @i, or NULL if it was never asked for. */
void *arena_at(const struct arena *a, uint32_t i);
/* All of them, which nobody uses any more. */
void arena_unmap(struct arena *a);
/* Which item @address is in; ARENA_NONE if in none. */
uint32_t arena_find(const struct arena *a, uintptr_t address);
