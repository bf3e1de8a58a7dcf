/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/instance_evidence.h"

#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "converter/gcc/counters/doubts.h"
#include "converter/gcc/counters/estimate.h"
#include "converter/gcc/counters/jump_evidence.h"
#include "converter/gcc/counters/place_evidence.h"
#include "converter/gcc/counters/unrolled.h"

/* A jump's two ways. */
#define WEIGHT_JUMP	 1.0
#define WEIGHT_JUMP_MORE 0.3
/* Less than this of its jumps' sum shows that a block's jumps were merged. */
#define MERGED 0.98
/* Equal observations of one block: a little more than one. */
#define MORE_OF_EQUAL 0.2
#define MOST_OF_EQUAL 2.0

struct collector {
	const struct observations *all;
	const struct key_function *f;
	struct evidence *out;
	VECTOR(struct estimate_item) items; /* by place, discriminator */
	struct place_evidence places;
	VECTOR(uint32_t) contexts;
	struct doubts doubts;
	struct unrolled unrolled;
};

static int wish_interval(struct collector *c, uint32_t block, const struct estimate *is)
{
	uint32_t of = CIRCULATION_NODE + block;

	if (is->low == is->high)
		return evidence_wish(c->out, of, is->low, is->below, is->weight);
	return evidence_wish(c->out, of, is->low, is->below, 0) ||
			       evidence_wish(c->out, of, is->high, is->pull, is->weight)
		       ? -1
		       : 0;
}

/* ---- blocks -------------------------------------------------------------------------------- */

static int by_block(const void *x, const void *y)
{
	const struct place_block *a = x, *b = y;
	int order = order_numbers(a->block, b->block);

	if (!order)
		order = order_numbers(a->is.low, b->is.low);
	return order ? order : order_numbers(a->is.high, b->is.high);
}

/* Equal intervals weigh little more than one of them: else a merged tail outvotes the truth. */
static int wish_singles(struct collector *c)
{
	vector_sort(&c->places.single, by_block);
	for (size_t i = 0; i < c->places.single.count;) {
		struct place_block sum = c->places.single.items[i];
		size_t first = i;
		double more;

		for (i++; i < c->places.single.count && !by_block(&sum, &c->places.single.items[i]);
		     i++) {
			const struct estimate *is = &c->places.single.items[i].is;

			sum.is.weight = is->weight > sum.is.weight ? is->weight : sum.is.weight;
			sum.is.below = is->below > sum.is.below ? is->below : sum.is.below;
			sum.is.pull = is->pull > sum.is.pull ? is->pull : sum.is.pull;
		}
		more = 1 + MORE_OF_EQUAL * (double)(i - first - 1) / sum.is.weight;
		more = more < MOST_OF_EQUAL ? more : MOST_OF_EQUAL;
		sum.is.weight *= more;
		sum.is.below *= more;
		if (wish_interval(c, sum.block, &sum.is))
			return -1;
	}
	return 0;
}

/* ---- jumps --------------------------------------------------------------------------------- */

/* Did a statement of the block run less than its jumps? These were merged with other blocks'. */
static bool is_merged(const struct collector *c, const struct jump_evidence *jumps, uint32_t block)
{
	double least = MERGED * (double)jump_evidence_sum(jumps, block) - 1;
	const struct place_block *one;
	size_t low = vector_count_while(&c->places.single, one,
					one->block < block); /* they are sorted */

	for (; low < c->places.single.count && c->places.single.items[low].block == block; low++)
		if (c->places.single.items[low].is.fixed &&
		    (double)c->places.single.items[low].is.high < least)
			return true;
	return false;
}

static int by_number(const void *x, const void *y)
{
	return order_numbers(*(const uint32_t *)x, *(const uint32_t *)y);
}

/* The sources' contexts, in order. */
static int sort_contexts(struct collector *c, const struct instance_evidence_source *sources,
			 size_t count)
{
	c->contexts.count = 0;
	if (vector_reserve(&c->contexts, count + 1))
		return -1;
	for (size_t s = 0; s < count; s++)
		c->contexts.items[c->contexts.count++] = sources[s].context;
	vector_sort(&c->contexts, by_number);
	return 0;
}

/* Tails of the labels of a computed goto are merged, and their jumps with them. */
static int wish_jumps(struct collector *c, uint32_t function,
		      const struct instance_evidence_source *sources, size_t count)
{
	const struct observed_function *seen = &c->all->functions.items[function];
	struct jump_evidence jumps = {0};
	const struct jump_count *j;
	int rc = jump_evidence_init(&jumps, c->f) || sort_contexts(c, sources, count) ? -1 : 0;

	for (size_t i = 0; i < seen->jumps && !rc; i++) {
		const struct observed_jump *one = &c->all->jumps.items[seen->first_jump + i];

		if (bsearch(&one->context, c->contexts.items, count, sizeof(one->context),
			    by_number))
			rc = jump_evidence_add(&jumps, c->all, one);
	}
	vector_each (&jumps.items, j)
		if (!rc && !is_merged(c, &jumps, j->block))
			rc = evidence_wish(c->out, j->arc, j->count, WEIGHT_JUMP, WEIGHT_JUMP_MORE);
	jump_evidence_deinit(&jumps);
	return rc;
}

/* ---- all ----------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
	const struct estimate_item *a = x, *b = y;
	int order = order_numbers(a->o->place.file, b->o->place.file);

	if (!order)
		order = order_numbers(a->o->place.line, b->o->place.line);
	if (!order)
		order = order_numbers(a->o->place.column, b->o->place.column);
	return order ? order : order_numbers(a->o->discriminator, b->o->discriminator);
}

static bool same_place(const struct estimate_item *a, const struct estimate_item *b)
{
	return !memcmp(&a->o->place, &b->o->place, sizeof(a->o->place));
}

static int take_source(struct collector *c, const struct observation *o,
		       const struct observation *end)
{
	if (doubts_add(&c->doubts, o, end) || unrolled_find(&c->unrolled, c->f, o, end))
		return -1;
	for (; o < end; o++) {
		struct estimate_item *slot = vector_push(&c->items);
		uint32_t block = key_function_block(c->f, o->place);

		if (!slot)
			return -1;
		*slot = (struct estimate_item){o, o->count};
		if (block != KEY_NONE)
			slot->count *= unrolled_times(&c->unrolled, block, o);
	}
	return 0;
}

static int take_items(struct collector *c, const struct instance_evidence_source *sources,
		      size_t count)
{
	if (doubts_init(&c->doubts, c->f))
		return -1;
	for (size_t s = 0; s < count; s++)
		if (take_source(c, c->all->items.items + sources[s].first,
				c->all->items.items + sources[s].end))
			return -1;
	vector_sort(&c->items, by_place);
	doubts_sort(&c->doubts);
	return 0;
}

int instance_evidence_collect(const struct key_index *keys, const struct observations *o,
			      uint32_t function, const struct instance_evidence_source *sources,
			      size_t count, struct evidence *out)
{
	struct collector c = {.all = o, .f = &keys->functions.items[function], .out = out};
	int rc = take_items(&c, sources, count);

	c.places = (struct place_evidence){.all = o, .f = c.f, .doubts = &c.doubts, .out = out};
	for (size_t i = 0, j; i < c.items.count && !rc; i = j) {
		for (j = i; j < c.items.count && same_place(&c.items.items[i], &c.items.items[j]);
		     j++)
			;
		rc = place_evidence_add(&c.places, &c.items.items[i], &c.items.items[j]);
	}
	if (!rc)
		rc = wish_singles(&c);
	if (!rc && !c.f->computed_goto)
		rc = wish_jumps(&c, function, sources, count);
	vector_deinit(&c.items);
	place_evidence_deinit(&c.places);
	vector_deinit(&c.contexts);
	unrolled_deinit(&c.unrolled);
	doubts_deinit(&c.doubts);
	return rc;
}
