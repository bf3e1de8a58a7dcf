/* SPDX-License-Identifier: MIT */
/*
 * How often a statement ran, estimated from the instructions that it was made into: an interval,
 * and how far it can be relied on. The rules are those of docs/counters.md, "Instructions". Where a
 * machine block holds a loop's body several times, unrolled, its instructions count so often more.
 */
#include "converter/gcc/counters/constraints.h"

#include <string.h>

#include "base/order.h"

/* How far the count of a kind of instruction can be relied on. */
#define WEIGHT_CALL    3.0
#define WEIGHT_STORE   1.5
#define WEIGHT_COMPUTE 1.0
#define WEIGHT_SELECT  0.5
#define WEIGHT_SHUFFLE 0.3
/* The pull towards the sum, where copies in other machine blocks may be parts of it. */
#define PULL	       0.05
#define PULL_CONDITION 0.3

static int compare_kinds(const struct attribution *a, const struct attribution *b)
{
	int order = order_numbers(a->context, b->context);

	if (!order)
		order = order_numbers(a->inner, b->inner);
	if (!order)
		order = order_numbers(a->kind, b->kind);
	return order ? order : order_numbers(a->operation, b->operation);
}

ORDER_BY(by_kind, struct estimate_item, compare_kinds(a->o, b->o) ?: ORDER_UP(o->block));

/* The instructions of one kind and operation: their sum over machine blocks, and the greatest. */
struct tally {
	uint64_t sum, most;
	bool any;
};

static void tally_take(struct tally *t, uint64_t sum, uint64_t most)
{
	t->sum = sum > t->sum ? sum : t->sum;
	t->most = most > t->most ? most : t->most;
	t->any = true;
}

/* The greatest of some kinds' tallies: whether any of them is there. */
static bool tally_kinds(struct tally *t, const struct tally *kinds, const uint8_t *which,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (kinds[which[i]].any)
			tally_take(t, kinds[which[i]].sum, kinds[which[i]].most);
	return t->any;
}

/* Add one inlined copy of the statement to the interval, by the tallies of its instructions. */
static void estimate_copy(const struct tally *kinds, bool calls, struct estimate *is)
{
	static const uint8_t good[] = {ATTRIBUTION_COMPUTE, ATTRIBUTION_CONDITION,
				       ATTRIBUTION_SELECT};
	static const uint8_t all[] = {ATTRIBUTION_COMPUTE, ATTRIBUTION_STORE, ATTRIBUTION_SHUFFLE,
				      ATTRIBUTION_SELECT,  ATTRIBUTION_CALL,  ATTRIBUTION_CONDITION,
				      ATTRIBUTION_JUMP};
	bool condition = kinds[ATTRIBUTION_CONDITION].any;
	struct tally t = {0};
	double weight = WEIGHT_COMPUTE;

	if (calls) { /* neither hoisted nor merged with another statement: copies add up */
		is->low += kinds[ATTRIBUTION_CALL].sum;
		is->high += kinds[ATTRIBUTION_CALL].sum;
		is->weight = WEIGHT_CALL;
		is->fixed = true;
		return;
	}
	/* one beside a conditional jump is another statement's: moved there, without a place */
	if (kinds[ATTRIBUTION_STORE].any && !condition) {
		t = kinds[ATTRIBUTION_STORE];
		weight = WEIGHT_STORE;
		is->fixed = true;
	} else if (kinds[ATTRIBUTION_SELECT].any && !condition) {
		/* ran whether or not the block would have: the sum alone, no least count */
		tally_kinds(&t, kinds, all, sizeof(all));
		t.most = 0;
		weight = WEIGHT_SELECT;
		is->pull = 0;
		is->selected = true;
	} else if (!tally_kinds(&t, kinds, good, sizeof(good))) {
		tally_kinds(&t, kinds, all, sizeof(all));
		weight = WEIGHT_SHUFFLE;
	}
	if (condition)
		is->pull = PULL_CONDITION;
	is->low += t.most;
	is->high += t.sum > t.most ? t.sum : t.most;
	is->weight = weight > is->weight ? weight : is->weight;
}

struct estimate estimate_make(struct estimate_items *items)
{
	struct estimate is = {.pull = PULL};
	const struct estimate_item *i = items->list.items, *end = i + items->list.count;
	bool calls = false;

	vector_sort(&items->list, by_kind);
	for (; i < end; i++)
		calls |= i->o->kind == ATTRIBUTION_CALL;
	for (i = items->list.items; i < end;) {
		const struct estimate_item *copy = i;
		struct tally kinds[ATTRIBUTION_JUMP + 1] = {{0}};

		while (i < end && i->o->context == copy->o->context &&
		       i->o->inner == copy->o->inner) {
			const struct estimate_item *first = i;
			uint64_t sum = 0, most = 0;

			for (; i < end && !compare_kinds(first->o, i->o); i++) {
				/* once in a block, whatever the discriminator */
				if (i > first && i->o->block == i[-1].o->block)
					continue;
				sum += i->count;
				most = i->count > most ? i->count : most;
			}
			tally_take(&kinds[first->o->kind], sum, most);
		}
		estimate_copy(kinds, calls, &is);
	}
	is.below = is.weight;
	return is;
}

struct copies {
	uint32_t block, machine, context;
	struct notes_place place;
	uint32_t n;
};

ORDER_BY(by_machine, struct copies,
	 ORDER_UP(block) ?: ORDER_UP(context) ?: ORDER_UP(machine)
	 ?: memcmp(&a->place, &b->place, sizeof(a->place)));

static bool same_machine(const struct copies *a, const struct copies *b)
{
	return a->block == b->block && a->context == b->context && a->machine == b->machine;
}

/* A block all of whose statements stand so often in one machine block was unrolled so often. */
static int note_unrolled(struct estimate_unrolled *u, const struct copies *i,
			 const struct copies *end)
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

int estimate_unrolled_find(struct estimate_unrolled *u, const struct notes_function *f,
			   const struct attribution *o, const struct attribution *end)
{
	VECTOR(struct copies) all = {0};
	int rc = 0;

	for (; o < end && !rc; o++) {
		uint32_t block = notes_function_block(f, o->place);

		if (o->kind > ATTRIBUTION_SELECT || o->kind == ATTRIBUTION_SHUFFLE ||
		    block == NOTES_NONE)
			continue;
		if (vector_add(&all,
			       (struct copies){block, o->block, o->context, o->place, o->copies}))
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

uint64_t estimate_unrolled_times(const struct estimate_unrolled *u, uint32_t block,
				 const struct attribution *o)
{
	const struct map_entry *e = map_find(&u->times, (uint64_t)block << 32 | o->block,
					     o->context);

	return e ? e->n : 1;
}

void estimate_unrolled_deinit(struct estimate_unrolled *u)
{
	map_deinit(&u->times);
}
