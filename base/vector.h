/* SPDX-License-Identifier: MIT */
/*
 * Growing arrays. Declare with VECTOR(type), start zeroed, end with vector_deinit.
 *
 *	VECTOR(struct symbol) symbols = {0};
 *	struct symbol *s = vector_push(&symbols);   // zeroed slot, or NULL without memory
 *	vector_each(&symbols, s) ...
 */
#pragma once

#include <stdlib.h>

#include "base/memory.h"

#define VECTOR(type)             \
	struct {                 \
		type *items;     \
		size_t count;    \
		size_t capacity; \
	}

/*
 * The layout that every VECTOR shares. The functions below take a vector of any type as one of
 * these: may_alias makes that defined, since what is read and written through this type may be an
 * object of another.
 */
struct vector_any {
	void *items;
	size_t count;
	size_t capacity;
} __attribute__((may_alias));

/* Room for @more items; 0, or -1 without memory (the vector is unchanged then). */
int vector_reserve_bytes(struct vector_any *v, size_t more, size_t item_bytes);
void *vector_push_bytes(struct vector_any *v, size_t item_bytes);
/* Give back the room that is not used: for what is kept in great numbers. */
void vector_fit_bytes(struct vector_any *v, size_t item_bytes);

#define vector_reserve(v, more) \
	vector_reserve_bytes((struct vector_any *)(v), (more), sizeof(*(v)->items))
#define vector_push(v) \
	((__typeof__((v)->items))vector_push_bytes((struct vector_any *)(v), sizeof(*(v)->items)))
/* One item more, at the end: 0, or -1 without memory. */
#define vector_add(v, ...) \
	(vector_reserve(v, 1) ? -1 : ((v)->items[(v)->count] = (__VA_ARGS__), (v)->count++, 0))
#define vector_fit(v)	   vector_fit_bytes((struct vector_any *)(v), sizeof(*(v)->items))
#define vector_each(v, it) for ((it) = (v)->items; (it) && (it) < (v)->items + (v)->count; (it)++)
/* Where item number @at is, up to the end; NULL of a vector without memory, as NULL + 0 is
 * undefined. */
#define vector_at(v, at) ((v)->items ? (v)->items + (at) : (v)->items)
#define vector_sort(v, compare) \
	((v)->count > 1 ? qsort((v)->items, (v)->count, sizeof(*(v)->items), (compare)) : (void)0)
/* How many items at the beginning @before holds for, where it holds for none behind the first that
 * it does not hold for: the first place in a sorted vector. @it points to the item in question. */
#define vector_count_while(v, it, before)                           \
	__extension__({                                             \
		size_t low_ = 0, high_ = (v)->count;                \
                                                                    \
		while (low_ < high_) {                              \
			size_t middle_ = low_ + (high_ - low_) / 2; \
                                                                    \
			(it) = (v)->items + middle_;                \
			if (before)                                 \
				low_ = middle_ + 1;                 \
			else                                        \
				high_ = middle_;                    \
		}                                                   \
		low_;                                               \
	})
#define vector_deinit(v)                        \
	do {                                    \
		memory_free((v)->items);        \
		(v)->items = NULL;              \
		(v)->count = (v)->capacity = 0; \
	} while (0)
