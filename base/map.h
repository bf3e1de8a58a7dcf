/* SPDX-License-Identifier: MIT */
/*
 * Hash map from a pair of 64-bit numbers to two 64-bit counters: what branch and range counts need.
 * Open addressing, power-of-two capacity, memory linear in the number of distinct keys. Iteration
 * order is arbitrary: sort before output.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

struct map_entry {
	uint64_t a, b; /* the key */
	uint64_t n, m; /* the counters */
};

struct map {
	/* @capacity of them, of which those with the key (0,0) are free; and one more, for that
	 * key. */
	struct map_entry *entries;
	size_t count;
	size_t capacity; /* 0 or a power of two */
	bool has_zero;	 /* the last of the entries is used */
};

/* Start zeroed; map_deinit frees. */
void map_deinit(struct map *m);
/* The entry of key (a,b), made with zero counters if absent; NULL without memory. Valid until the
 * next map_at. */
struct map_entry *map_at(struct map *m, uint64_t a, uint64_t b);
/* Room for @count entries in all, so that it is not made in steps: 0, or -1 without memory. */
int map_reserve(struct map *m, size_t count);
/* (a,b) will be asked for soon: fetches its place, since maps are larger than caches. */
void map_expect(const struct map *m, uint64_t a, uint64_t b);
/* Add to the counters of key (a,b), up to UINT64_MAX: 0, or -1 without memory. */
int map_add(struct map *m, uint64_t a, uint64_t b, uint64_t to_n, uint64_t to_m);
/* The entry of key (a,b), or NULL. */
struct map_entry *map_find(const struct map *m, uint64_t a, uint64_t b);
/* Used entries as an array of pointers sorted by (a,b), to be freed with memory_free; NULL without
 * memory. Its length is m->count. */
struct map_entry **map_sorted(const struct map *m);

/* The used entry behind @previous, the first one behind NULL; NULL at the end. */
struct map_entry *map_next(const struct map *m, struct map_entry *previous);
/* All used entries, in no order; @e may be a pointer to const ones. */
#define map_each(m, e) for ((e) = NULL; ((e) = map_next((m), (struct map_entry *)(e)));)

/*
 * The item of key (a,b) in the vector @v, which holds one item for each key of the map; the map's
 * counters n are their numbers, from 1. For a new key the item given last is added. NULL without
 * memory.
 */
#define map_item(m, a, b, v, ...)                                             \
	__extension__({                                                       \
		struct map_entry *number_ = map_at((m), (a), (b));            \
                                                                              \
		if (number_ && !number_->n && !vector_add((v), __VA_ARGS__))  \
			number_->n = (v)->count;                              \
		number_ && number_->n ? (v)->items + (number_->n - 1) : NULL; \
	})
