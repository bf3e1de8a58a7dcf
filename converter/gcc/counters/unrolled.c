/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/unrolled.h"

#include <string.h>

#include "base/memory.h"
#include "base/order.h"

struct copies {
	uint32_t block, machine, context;
	struct key_place place;
	uint32_t n;
};

static int by_machine(const void *x, const void *y)
{
	const struct copies *a = x, *b = y;
	int order = order_numbers(a->block, b->block);

	if (!order)
		order = order_numbers(a->context, b->context);
	if (!order)
		order = order_numbers(a->machine, b->machine);
	return order ? order : memcmp(&a->place, &b->place, sizeof(a->place));
}

static bool same_machine(const struct copies *a, const struct copies *b)
{
	return a->block == b->block && a->context == b->context && a->machine == b->machine;
}

/* A block all of whose statements stand so often in one machine block was unrolled so often. */
static int note_unrolled(struct unrolled *u, const struct copies *i, const struct copies *end)
{
	uint32_t places = 0, least = UINT32_MAX;
	const struct copies *first = i;
	struct map_entry *e;

	while (i < end) {
		const struct copies *place = i;
		uint32_t most = 0;

		for (; i < end && !memcmp(&i->place, &place->place, sizeof(i->place)); i++)
			most = i->n > most ? i->n : most;
		places++;
		least = most < least ? most : least;
	}
	if (places < 2 || least < 2)
		return 0;
	e = map_at(&u->times, (uint64_t)first->block << 32 | first->machine, first->context);
	if (!e)
		return -1;
	e->n = least;
	return 0;
}

int unrolled_find(struct unrolled *u, const struct key_function *f, const struct observation *o,
		  const struct observation *end)
{
	VECTOR(struct copies) all = {0};
	int rc = 0;

	for (; o < end && !rc; o++) {
		uint32_t block = key_function_block(f, o->place);
		struct copies *slot;

		if (o->kind > OBSERVATION_SELECT || o->kind == OBSERVATION_SHUFFLE ||
		    block == KEY_NONE)
			continue;
		slot = vector_push(&all);
		if (slot)
			*slot = (struct copies){block, o->block, o->context, o->place, o->copies};
		else
			rc = -1;
	}
	vector_sort(&all, by_machine);
	for (size_t i = 0, j; i < all.count && !rc; i = j) {
		for (j = i; j < all.count && same_machine(&all.items[i], &all.items[j]); j++)
			;
		rc = note_unrolled(u, &all.items[i], &all.items[j]);
	}
	vector_deinit(&all);
	return rc;
}

uint64_t unrolled_times(const struct unrolled *u, uint32_t block, const struct observation *o)
{
	const struct map_entry *e = map_find(&u->times, (uint64_t)block << 32 | o->block,
					     o->context);

	return e ? e->n : 1;
}

void unrolled_deinit(struct unrolled *u)
{
	map_deinit(&u->times);
}
