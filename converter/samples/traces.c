/* SPDX-License-Identifier: MIT */
#include "converter/samples/traces.h"

#include <string.h>

#include "base/memory.h"
#include "converter/samples/address_space.h"

void traces_deinit(struct traces *t)
{
	vector_deinit(&t->branches);
	vector_deinit(&t->entries);
	vector_deinit(&t->begins);
	vector_deinit(&t->weights);
	vector_deinit(&t->times);
	t->seen = 0;
}

int traces_begin(struct traces *t, size_t first, uint64_t weight, uint64_t times)
{
	size_t *begin = vector_push(&t->begins);
	uint64_t *w = vector_push(&t->weights), *n = vector_push(&t->times);

	if (!begin || !w || !n)
		return -1;
	*begin = first;
	*w = weight;
	*n = times;
	t->seen += times;
	return 0;
}

int traces_add(struct traces *t, struct address_space *space, uint64_t from, uint64_t to)
{
	struct map_entry *number = map_at(&space->numbers, from, to);
	struct trace_branch *branch;

	if (!number || (t->entries.count == t->entries.capacity && vector_reserve(&t->entries, 1)))
		return -1;
	if (!number->n) {
		branch = t->branches.count < UINT32_MAX ? vector_push(&t->branches) : NULL;
		if (!branch)
			return -1;
		*branch = (struct trace_branch){space, from, to};
		number->n = t->branches.count;
	}
	t->entries.items[t->entries.count++] = (uint32_t)(number->n - 1);
	return 0;
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
	t->begins.count = t->weights.count = t->times.count = 0;
	return rc;
}
