/* SPDX-License-Identifier: MIT */
#include "base/vector.h"

#include <string.h>

/* Of larger items, vectors begin with fewer: those of very many objects mostly have one or two. */
#define FEW_BYTES 16

int vector_reserve_bytes(struct vector_any *v, size_t more, size_t item_bytes)
{
	size_t wanted, capacity = v->capacity ? v->capacity : item_bytes > FEW_BYTES ? 2 : 8;
	void *items;

	if (__builtin_add_overflow(v->count, more, &wanted))
		return -1;
	if (wanted <= v->capacity)
		return 0;
	while (capacity < wanted)
		if (__builtin_mul_overflow(capacity, (size_t)2, &capacity))
			return -1;
	items = memory_resize_array(v->items, capacity, item_bytes);
	if (!items)
		return -1;
	v->items = items;
	v->capacity = capacity;
	return 0;
}

void *vector_push_bytes(struct vector_any *v, size_t item_bytes)
{
	char *slot;

	if (vector_reserve_bytes(v, 1, item_bytes))
		return NULL;
	slot = (char *)v->items + v->count++ * item_bytes;
	return memset(slot, 0, item_bytes);
}

void vector_fit_bytes(struct vector_any *v, size_t item_bytes)
{
	if (v->capacity == v->count)
		return;
	if (!v->count) {
		memory_free(v->items);
		*v = (struct vector_any){0};
		return;
	}
	v->items = memory_shrink_array(v->items, v->count, item_bytes);
	v->capacity = v->count;
}
