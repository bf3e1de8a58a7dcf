/* SPDX-License-Identifier: MIT */
#include "base/map.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"

#define CAPACITY_FIRST 8

static inline size_t hash(uint64_t a, uint64_t b)
{
	uint64_t h = a * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c15u) * 0xc2b2ae3d27d4eb4fu;

	return h ^ h >> 29;
}

/* Where the key is, or goes. */
static inline struct map_entry *slot(const struct map *m, uint64_t a, uint64_t b)
{
	size_t mask = m->capacity - 1, i = hash(a, b) & mask;

	if (!(a | b))
		return &m->entries[m->capacity];
	while ((m->entries[i].a | m->entries[i].b) &&
	       (m->entries[i].a != a || m->entries[i].b != b))
		i = (i + 1) & mask;
	return &m->entries[i];
}

static bool is_used(const struct map *m, const struct map_entry *e)
{
	return (e->a | e->b) || (m->has_zero && e == &m->entries[m->capacity]);
}

static int grow(struct map *m, size_t capacity)
{
	struct map bigger = {.count = m->count, .capacity = capacity, .has_zero = m->has_zero};
	struct map_entry *e = NULL;

	bigger.entries = memory_alloc_array(bigger.capacity + 1, sizeof(*bigger.entries));
	if (!bigger.entries)
		return -1;
	while ((e = map_next(m, e)))
		*slot(&bigger, e->a, e->b) = *e;
	memory_free(m->entries);
	*m = bigger;
	return 0;
}

int map_reserve(struct map *m, size_t count)
{
	size_t capacity = m->capacity ? m->capacity : CAPACITY_FIRST;

	while (capacity / 2 < count && capacity <= SIZE_MAX / 2)
		capacity *= 2;
	return capacity > m->capacity ? grow(m, capacity) : 0;
}

void map_deinit(struct map *m)
{
	memory_free(m->entries);
	*m = (struct map){0};
}

struct map_entry *map_at(struct map *m, uint64_t a, uint64_t b)
{
	struct map_entry *e;

	if (m->capacity) {
		e = slot(m, a, b);
		if (is_used(m, e))
			return e;
	}
	if (m->count >= m->capacity / 2 && grow(m, m->capacity ? m->capacity * 2 : CAPACITY_FIRST))
		return NULL;
	e = slot(m, a, b);
	*e = (struct map_entry){.a = a, .b = b};
	m->has_zero |= !(a | b);
	m->count++;
	return e;
}

static uint64_t saturating_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

int map_add(struct map *m, uint64_t a, uint64_t b, uint64_t to_n, uint64_t to_m)
{
	struct map_entry *e = map_at(m, a, b);

	if (!e)
		return -1;
	e->n = saturating_sum(e->n, to_n);
	e->m = saturating_sum(e->m, to_m);
	return 0;
}

void map_expect(const struct map *m, uint64_t a, uint64_t b)
{
	if (m->capacity)
		__builtin_prefetch(&m->entries[hash(a, b) & (m->capacity - 1)]);
}

struct map_entry *map_find(const struct map *m, uint64_t a, uint64_t b)
{
	struct map_entry *e;

	if (!m->capacity)
		return NULL;
	e = slot(m, a, b);
	return is_used(m, e) ? e : NULL;
}

struct map_entry *map_next(const struct map *m, struct map_entry *previous)
{
	struct map_entry *e = previous ? previous + 1 : m->entries;
	const struct map_entry *end = m->entries ? m->entries + m->capacity + 1 : NULL;

	while (e && e < end && !is_used(m, e))
		e++;
	return e && e < end ? e : NULL;
}

ORDER_BY(by_key, struct map_entry *const,
	 order_numbers((*a)->a, (*b)->a) ?: order_numbers((*a)->b, (*b)->b));

struct map_entry **map_sorted(const struct map *m)
{
	struct map_entry **list = memory_alloc_array(m->count, sizeof(*list));
	struct map_entry *e = NULL;
	size_t n = 0;

	if (!list)
		return NULL;
	while ((e = map_next(m, e)))
		list[n++] = e;
	if (n > 1)
		qsort(list, n, sizeof(*list), by_key);
	return list;
}
