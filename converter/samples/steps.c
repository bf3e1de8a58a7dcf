/* SPDX-License-Identifier: MIT */
#include "converter/samples/steps.h"

#include "base/memory.h"

#define CAPACITY_FIRST 8  /* a recording may have very many spaces of few steps each */
#define BATCH	       16 /* so many places are fetched ahead of their use */

int steps_grow(struct steps *s)
{
	struct steps bigger = *s;
	const struct step *i = NULL;

	bigger.capacity = s->capacity ? 2 * s->capacity : CAPACITY_FIRST;
	bigger.room = bigger.capacity * 5 / 8;
	bigger.shift = 64 - (unsigned)__builtin_ctzll(bigger.capacity);
	bigger.items = memory_alloc_array(bigger.capacity, sizeof(*bigger.items));
	if (!bigger.items)
		return -1;
	while ((i = steps_next(s, i)))
		*steps_find(&bigger, i, steps_place(&bigger, i)) = *i;
	memory_free(s->items);
	*s = bigger;
	return 0;
}

void steps_deinit(struct steps *s)
{
	memory_free(s->items);
	*s = (struct steps){0};
}

static int add_batch(struct steps *s, const struct step *items, size_t count)
{
	size_t places[BATCH];

	while (s->room < s->count + count)
		if (steps_grow(s))
			return -1;
	for (size_t i = 0; i < count; i++) {
		places[i] = steps_place(s, &items[i]);
		__builtin_prefetch(&s->items[places[i]], 1);
	}
	for (size_t i = 0; i < count; i++)
		steps_count(s, steps_find(s, &items[i], places[i]), &items[i]);
	return 0;
}

int steps_add(struct steps *s, const struct step *items, size_t count)
{
	while (count) {
		/* a small one grows by what is new alone */
		size_t batch = s->capacity < STEPS_SMALL || count < BATCH ? 1 : BATCH;

		if (batch == 1 ? steps_add_one(s, items) : add_batch(s, items, batch))
			return -1;
		items += batch;
		count -= batch;
	}
	return 0;
}

int steps_merge(struct steps *s, const struct steps *from)
{
	const struct step *i = NULL;

	while ((i = steps_next(from, i)))
		if (steps_add_one(s, i))
			return -1;
	return 0;
}

const struct step *steps_next(const struct steps *s, const struct step *previous)
{
	const struct step *end, *i;

	if (!s->items)
		return NULL;
	end = s->items + s->capacity;
	for (i = previous ? previous + 1 : s->items; i < end && !i->n; i++)
		;
	return i < end ? i : NULL;
}

static int add_one(struct branch_details *d, const struct step *s, const struct step_told *told)
{
	const struct branch_latency latency = {s->to, s->next, told->cycles,
					       (enum branch_prediction)told->prediction};

	if (told->prediction != BRANCH_UNTOLD &&
	    branch_details_add_outcome(d, s->from, s->to,
				       told->prediction == BRANCH_PREDICTED ? s->n : 0,
				       told->prediction == BRANCH_MISPREDICTED ? s->n : 0))
		return -1;
	return told->cycles ? branch_details_add_latency(&d->latencies, &latency, s->n) : 0;
}

int step_details_add(struct branch_details *d, const struct step *steps,
		     const struct step_told *told, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (add_one(d, &steps[i], &told[i]))
			return -1;
	return 0;
}

static int steps_merge_one(struct map *into, const struct map *from)
{
	const struct map_entry *i;

	map_each (from, i)
		if (map_add(into, i->a, i->b, i->n, i->m))
			return -1;
	return 0;
}

int step_details_merge(struct branch_details *d, const struct branch_details *from)
{
	return steps_merge_one(&d->outcomes, &from->outcomes) ||
			       steps_merge_one(&d->latencies, &from->latencies)
		       ? -1
		       : 0;
}
