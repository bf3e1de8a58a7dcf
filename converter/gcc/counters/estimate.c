/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/estimate.h"

#include "base/order.h"

/* How far a kind of instruction can be relied on. */
#define WEIGHT_CALL    3.0
#define WEIGHT_STORE   1.5
#define WEIGHT_COMPUTE 1.0
#define WEIGHT_SELECT  0.5
#define WEIGHT_SHUFFLE 0.3
/* What a copy in another machine block is held to be: part of the sum, more or less. */
#define PULL	       0.05
#define PULL_CONDITION 0.3

static int compare_kinds(const struct observation *a, const struct observation *b)
{
	int order = order_numbers(a->context, b->context);

	if (!order)
		order = order_numbers(a->inner, b->inner);
	if (!order)
		order = order_numbers(a->kind, b->kind);
	return order ? order : order_numbers(a->operation, b->operation);
}

static int by_kind(const void *x, const void *y)
{
	const struct estimate_item *a = x, *b = y;
	int order = compare_kinds(a->o, b->o);

	return order ? order : order_numbers(a->o->block, b->o->block);
}

/* Of the instructions of one kind and operation the sum over machine blocks, and the greatest. */
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

/* The statement of one inlined copy: from tallies to an interval. */
static void judge(const struct tally *kinds, bool calls, struct estimate *is)
{
	const struct tally *store = &kinds[OBSERVATION_STORE], *select = &kinds[OBSERVATION_SELECT];
	bool condition = kinds[OBSERVATION_CONDITION].any;
	struct tally t = {0};
	double weight = WEIGHT_SHUFFLE;

	if (calls) { /* neither hoisted nor merged with another statement: copies add up */
		is->low += kinds[OBSERVATION_CALL].sum;
		is->high += kinds[OBSERVATION_CALL].sum;
		is->weight = WEIGHT_CALL;
		is->fixed = true;
		return;
	}
	/* one beside a conditional jump is another statement's: moved there, without a place */
	if (store->any && !condition) {
		t = *store;
		weight = WEIGHT_STORE;
		is->fixed = true;
	} else if (select->any && !condition) { /* ran whether or not the block would have */
		for (size_t i = 0; i <= OBSERVATION_JUMP; i++)
			t.sum = kinds[i].sum > t.sum ? kinds[i].sum : t.sum;
		weight = WEIGHT_SELECT;
		is->pull = 0;
		is->selected = true;
	} else {
		static const uint8_t good[] = {OBSERVATION_COMPUTE, OBSERVATION_CONDITION,
					       OBSERVATION_SELECT};

		for (size_t i = 0; i < sizeof(good); i++)
			if (kinds[good[i]].any)
				tally_take(&t, kinds[good[i]].sum, kinds[good[i]].most);
		if (t.any)
			weight = WEIGHT_COMPUTE;
		for (size_t i = 0; !t.any && i <= OBSERVATION_JUMP; i++)
			if (kinds[i].any) {
				tally_take(&t, kinds[i].sum, kinds[i].most);
				t.any = false;
			}
		if (condition)
			is->pull = PULL_CONDITION;
	}
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
		calls |= i->o->kind == OBSERVATION_CALL;
	for (i = items->list.items; i < end;) {
		const struct estimate_item *copy = i;
		struct tally kinds[OBSERVATION_JUMP + 1] = {{0}};

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
		judge(kinds, calls, &is);
	}
	is.below = is.weight;
	return is;
}
