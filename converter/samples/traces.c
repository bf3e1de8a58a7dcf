/* SPDX-License-Identifier: MIT */
#include "converter/samples/traces.h"

#include <string.h>

#include "converter/samples/address_space.h"

#define TRACES_NONE UINT32_MAX

void traces_deinit(struct traces *t)
{
	vector_deinit(&t->branches);
	vector_deinit(&t->after);
	vector_deinit(&t->entries);
	vector_deinit(&t->begins);
	vector_deinit(&t->firsts);
	vector_deinit(&t->weights);
	vector_deinit(&t->times);
	t->seen = 0;
	t->last = 0;
}

int traces_begin(struct traces *t, size_t first, size_t part_of, uint64_t weight, uint64_t times)
{
	if (vector_add(&t->begins, first) || vector_add(&t->firsts, part_of) ||
	    vector_add(&t->weights, weight) || vector_add(&t->times, times))
		return -1;
	if (part_of + 1 == t->begins.count)
		t->seen += times;
	return 0;
}

static uint32_t new_branch(struct traces *t, struct map_entry *number,
			   const struct address_space *space)
{
	struct trace_branch *branch = t->branches.count < UINT32_MAX ? vector_push(&t->branches)
								     : NULL;
	uint32_t *after = branch ? vector_push(&t->after) : NULL;

	if (!after)
		return TRACES_NONE;
	*branch = (struct trace_branch){space, number->a, number->b};
	number->n = t->branches.count;
	return (uint32_t)(number->n - 1);
}

/* Apart, so that what most branches need is short. */
static __attribute__((noinline)) int look_up(struct traces *t, struct address_space *space,
					     uint64_t from, uint64_t to)
{
	struct map_entry *entry = map_at(&space->numbers, from, to);
	uint32_t number;

	if (!entry)
		return -1;
	number = entry->n ? (uint32_t)(entry->n - 1) : new_branch(t, entry, space);
	if (number == TRACES_NONE ||
	    (t->entries.count == t->entries.capacity && vector_reserve(&t->entries, 1)))
		return -1;
	if (t->last < t->after.count)
		t->after.items[t->last] = number;
	t->last = number;
	t->entries.items[t->entries.count++] = number;
	return 0;
}

int traces_add(struct traces *t, struct address_space *space, uint64_t from, uint64_t to)
{
	/* most come after what they came after before, which is looked up in less memory */
	uint32_t number = t->last < t->after.count ? t->after.items[t->last] : 0;
	const struct trace_branch *b = vector_at(&t->branches, number);

	if (t->branches.count && b->from == from && b->to == to && b->space == space &&
	    t->entries.count < t->entries.capacity) {
		t->last = number;
		t->entries.items[t->entries.count++] = number;
		return 0;
	}
	return look_up(t, space, from, to);
}

void traces_reverse(struct traces *t, size_t first)
{
	for (size_t last = t->entries.count; first + 1 < last; first++) {
		uint32_t *a = &t->entries.items[first], *b = &t->entries.items[--last],
			 swapped = *a;

		*a = *b;
		*b = swapped;
	}
}

int traces_hand_on(struct traces *t, size_t end, const struct trace_watcher *w)
{
	struct trace handed = {.entries = t->entries.items, .count = end};
	int rc;

	if (!t->begins.count)
		return 0;
	handed.weight = t->weights.items[0];
	handed.times = t->times.items[0];
	handed.stack = t->stack;
	rc = w->take(w->context, t, &handed);
	memmove(t->entries.items, t->entries.items + end,
		(t->entries.count - end) * sizeof(*t->entries.items));
	t->entries.count -= end;
	t->begins.count = t->firsts.count = t->weights.count = t->times.count = 0;
	return rc;
}
