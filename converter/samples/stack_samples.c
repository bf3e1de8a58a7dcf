/* SPDX-License-Identifier: MIT */
#include "converter/samples/stack_samples.h"

#include <string.h>

#include "base/memory.h"

void stack_samples_deinit(struct stack_samples *s)
{
	struct stack_sample *item;

	vector_each (&s->items, item)
		vector_deinit(&item->stack);
	vector_deinit(&s->items);
	map_deinit(&s->threads);
}

static struct stack_sample *item_of(struct stack_samples *s, uint32_t tid)
{
	struct map_entry *e = map_at(&s->threads, tid, 0);

	if (!e || (!e->n && !vector_push(&s->items)))
		return NULL;
	if (!e->n)
		e->n = s->items.count;
	return &s->items.items[e->n - 1];
}

int stack_samples_add(struct stack_samples *s, const struct address_space *space,
		      const struct perfdata_record *record)
{
	const struct perfdata_sample *from = &record->sample;
	struct stack_sample *to = item_of(s, from->tid);

	if (!to)
		return -1;
	to->space = space;
	to->time = record->time;
	to->register_mask = from->register_mask;
	if (from->register_mask)
		memcpy(to->registers, from->registers,
		       (unsigned)__builtin_popcountll(from->register_mask) *
			       sizeof(*to->registers));
	to->stack.count = 0;
	if (!from->stack_bytes)
		return 0;
	if (vector_reserve(&to->stack, from->stack_bytes))
		return -1;
	memcpy(to->stack.items, from->stack, from->stack_bytes);
	to->stack.count = from->stack_bytes;
	return 0;
}

const struct stack_sample *stack_samples_find(const struct stack_samples *s, uint32_t tid,
					      uint64_t time)
{
	const struct map_entry *e = map_find(&s->threads, tid, 0);

	return e && e->n && s->items.items[e->n - 1].time == time ? &s->items.items[e->n - 1]
								  : NULL;
}
