/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/constraints.h"

#include <string.h>

#include "base/order.h"

/* An interval that is of one block. */
struct place_block {
	uint32_t block;
	struct estimate is;
};

/* Start zeroed, but for the first four. */
struct place_constraints {
	const struct attributions *all;
	const struct notes_function *f;
	const struct reliability *reliability;
	struct constraints *out; /* what is known of several blocks, or of others */
	VECTOR(struct place_block) single;

	struct estimate_items chosen;	  /* of a place, what is looked at */
	VECTOR(uint32_t) blocks, ordered; /* of a place: each once; its inner ones */
};

/*
 * From the instructions that were made from the statements at one place to the blocks that these
 * are in. Where they are in several, discriminators tell the blocks apart, or the order in which
 * one body was inlined early several times.
 */

/* The shares of a constraint's weight where the block of a statement is known in part only. */
#define SHARE_OF_SEVERAL 0.5
#define SHARE_OF_EACH	 0.3
#define SHARE_OF_ORDER	 0.7

static int constraint_choose(struct place_constraints *v, const struct estimate_item *i,
			     const struct estimate_item *end, uint32_t inner)
{
	v->chosen.list.count = 0;
	for (; i < end; i++) {
		if (inner != UINT32_MAX && i->o->inner != inner)
			continue;
		if (vector_add(&v->chosen.list, *i))
			return -1;
	}
	return 0;
}

/* The chosen items are of @block. */
static int is_of_block(struct place_constraints *v, uint32_t block, const struct estimate *is)
{
	struct place_block *slot = vector_push(&v->single);
	uint32_t before = reliability_before(v->reliability, block);
	double sum = 0, certain = 0;
	const struct estimate_item *i;

	if (!slot)
		return -1;
	vector_each (&v->chosen.list, i) {
		sum += (double)i->count;
		certain += (double)i->count * reliability_share(v->reliability, i->o, block);
	}
	*slot = (struct place_block){block, *is};
	certain = sum > 0 ? certain / sum : 1;
	slot->is.below = is->weight * certain;
	slot->is.pull *= certain;
	if (!is->selected || before == NOTES_NONE)
		return 0;
	return constraints_add(v->out, CIRCULATION_NODE + before, is->high, is->weight * certain,
			       0);
}

/* A statement in several blocks: together at least so often, each at most so often. */
static int is_of_several(struct place_constraints *v, const struct notes_at *at, size_t n,
			 const struct estimate *is)
{
	struct constraint_sum *sum = vector_push(&v->out->sums);
	uint32_t last = UINT32_MAX;

	if (!sum)
		return -1;
	*sum = (struct constraint_sum){
		.first = (uint32_t)v->out->blocks.count,
		.least = is->low,
		.below = (uint32_t)(SHARE_OF_SEVERAL * is->weight * CONSTRAINT_ONE)};
	for (size_t i = 0; i < n; i++) {

		if (at[i].block == last)
			continue;
		last = at[i].block;
		if (vector_add(&v->out->blocks, last) ||
		    constraints_add(v->out, CIRCULATION_NODE + last, is->high, 0,
				    SHARE_OF_EACH * is->weight))
			return -1;
		sum->count++;
	}
	return 0;
}

static int by_number(const void *x, const void *y)
{
	return order_numbers(*(const uint32_t *)x, *(const uint32_t *)y);
}

/* Into v->blocks the blocks of a run that may hold one several times, by discriminator. */
static int find_blocks(struct place_constraints *v, const struct notes_at *at, size_t n)
{
	size_t kept = 0;

	v->blocks.count = 0;
	if (vector_reserve(&v->blocks, n + 1))
		return -1;
	for (size_t i = 0; i < n; i++)
		v->blocks.items[v->blocks.count++] = at[i].block;
	vector_sort(&v->blocks, by_number);
	for (size_t i = 0; i < n; i++)
		if (!kept || v->blocks.items[kept - 1] != v->blocks.items[i])
			v->blocks.items[kept++] = v->blocks.items[i];
	v->blocks.count = kept;
	return 0;
}

/* One body that was inlined several times before gcc counts: call sites in the order of the source
 * are blocks in order. 1 if that is how it is, 0 if not, -1 without memory. */
static int find_order(struct place_constraints *v, const struct estimate_item *i,
		      const struct estimate_item *end, size_t blocks)
{
	v->ordered.count = 0;
	for (; i < end; i++) {
		size_t at = 0;
		int order = 1;

		if (!i->o->inner)
			return 0;
		while (at < v->ordered.count) {
			order = contexts_compare_inner(&v->all->contexts, v->ordered.items[at],
						       i->o->inner);
			if (order >= 0)
				break;
			at++;
		}
		if (at < v->ordered.count && !order)
			continue;
		if (v->ordered.count == blocks)
			return 0;
		if (!vector_push(&v->ordered))
			return -1;
		memmove(&v->ordered.items[at + 1], &v->ordered.items[at],
			(v->ordered.count - 1 - at) * sizeof(uint32_t));
		v->ordered.items[at] = i->o->inner;
	}
	return v->ordered.count == blocks && blocks > 1;
}

static int give_in_order(struct place_constraints *v, const struct estimate_item *i,
			 const struct estimate_item *end)
{
	for (size_t k = 0; k < v->ordered.count; k++) {
		struct estimate is;

		if (constraint_choose(v, i, end, v->ordered.items[k]))
			return -1;
		is = estimate_make(&v->chosen);
		is.weight *= SHARE_OF_ORDER;
		if (is_of_block(v, v->blocks.items[k], &is))
			return -1;
	}
	return 0;
}

/* By discriminators, as far as they tell the blocks apart. */
static int give_by_discriminator(struct place_constraints *v, const struct estimate_item *i,
				 const struct estimate_item *end, size_t blocks)
{
	uint64_t known = 0, lost = 0;
	const struct estimate_item *first;

	for (const struct estimate_item *k = i; k < end;) {
		struct estimate is;

		for (first = k; k < end && k->o->discriminator == first->o->discriminator; k++)
			;
		if (constraint_choose(v, first, k, UINT32_MAX))
			return -1;
		is = estimate_make(&v->chosen);
		if (first->o->discriminator == ATTRIBUTION_NO_DISCRIMINATOR)
			lost += is.high;
		else
			known += is.high;
	}
	while (i < end) {
		const struct notes_at *at;
		struct estimate is;
		size_t n;

		for (first = i; i < end && i->o->discriminator == first->o->discriminator; i++)
			;
		if (first->o->discriminator == ATTRIBUTION_NO_DISCRIMINATOR)
			continue;
		if (constraint_choose(v, first, i, UINT32_MAX))
			return -1;
		is = estimate_make(&v->chosen);
		if (known && lost) {
			double more = (double)(known + lost) / (double)known;

			is.low = (uint64_t)((double)is.low * more);
			is.high = (uint64_t)((double)is.high * more);
			is.weight *= SHARE_OF_SEVERAL;
		}
		at = notes_function_at_exactly(v->f, first->o->place, first->o->discriminator, &n);
		if (n == 1 ? is_of_block(v, at->block, &is)
			   : n < blocks && is_of_several(v, at, n, &is))
			return -1;
	}
	return 0;
}

/* All attributions [i,end) of one place, by discriminator. 0, or -1 without memory. */
static int place_constraints_add(struct place_constraints *v, const struct estimate_item *i,
				 const struct estimate_item *end)
{
	const struct notes_at *at;
	struct estimate is;
	size_t n, blocks;
	int ordered;

	at = notes_function_at(v->f, i->o->place, &n);
	if (find_blocks(v, at, n))
		return -1;
	blocks = v->blocks.count;
	if (!blocks)
		return 0;
	if (constraint_choose(v, i, end, UINT32_MAX))
		return -1;
	is = estimate_make(&v->chosen);
	if (blocks == 1)
		return is_of_block(v, at->block, &is);
	if (is_of_several(v, at, n, &is))
		return -1;
	ordered = find_order(v, i, end, blocks);
	if (ordered)
		return ordered < 0 ? -1 : give_in_order(v, i, end);
	return give_by_discriminator(v, i, end, blocks);
}

/* A jump's two ways. */
#define WEIGHT_JUMP	 1.0
#define WEIGHT_JUMP_MORE 0.3
/* Less than this of its jumps' sum shows that a block's jumps were merged. */
#define MERGED 0.98
/* Equal attributions of one block: a little more than one. */
#define MORE_OF_EQUAL 0.2
#define MOST_OF_EQUAL 2.0

struct collector {
	const struct attributions *all;
	const struct notes_function *f;
	struct constraints *out;
	VECTOR(struct estimate_item) items; /* by place, discriminator */
	struct place_constraints places;
	VECTOR(uint32_t) contexts;
	struct reliability reliability;
	struct estimate_unrolled unrolled;
};

static int demand_interval(struct collector *c, uint32_t block, const struct estimate *is)
{
	uint32_t of = CIRCULATION_NODE + block;

	if (is->low == is->high)
		return constraints_add(c->out, of, is->low, is->below, is->weight);
	return constraints_add(c->out, of, is->low, is->below, 0) ||
			       constraints_add(c->out, of, is->high, is->pull, is->weight)
		       ? -1
		       : 0;
}

/* ---- blocks -------------------------------------------------------------------------------- */

ORDER_BY(by_block, struct place_block, ORDER_UP(block) ?: ORDER_UP(is.low) ?: ORDER_UP(is.high));

/* Equal intervals weigh little more than one of them: else a merged tail outvotes the truth. */
static int demand_singles(struct collector *c)
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
		if (demand_interval(c, sum.block, &sum.is))
			return -1;
	}
	return 0;
}

/* ---- jumps --------------------------------------------------------------------------------- */

/* Did a statement of the block run less than its jumps? These were merged with other blocks'. */
static bool is_merged(const struct collector *c, const struct jump_constraints *jumps,
		      uint32_t block)
{
	double least = MERGED * (double)jump_constraints_sum(jumps, block) - 1;
	const struct place_block *one;
	size_t low = vector_count_while(&c->places.single, one,
					one->block < block); /* they are sorted */

	for (; low < c->places.single.count && c->places.single.items[low].block == block; low++)
		if (c->places.single.items[low].is.fixed &&
		    (double)c->places.single.items[low].is.high < least)
			return true;
	return false;
}

/* The sources' contexts, in order. */
static int sort_contexts(struct collector *c, const struct constraints_source *sources,
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
static int demand_jumps(struct collector *c, uint32_t function,
			const struct constraints_source *sources, size_t count)
{
	const struct attributed_function *seen = &c->all->functions.items[function];
	struct jump_constraints jumps = {0};
	const struct jump_count *j;
	int rc = jump_constraints_init(&jumps, c->f) || sort_contexts(c, sources, count) ? -1 : 0;

	for (size_t i = 0; i < seen->jumps && !rc; i++) {
		const struct attributed_jump *one = &c->all->jumps.items[seen->first_jump + i];

		if (bsearch(&one->context, c->contexts.items, count, sizeof(one->context),
			    by_number))
			rc = jump_constraints_add(&jumps, c->all, one);
	}
	vector_each (&jumps.items, j)
		if (!rc && !is_merged(c, &jumps, j->block))
			rc = constraints_add(c->out, j->arc, j->count, WEIGHT_JUMP,
					     WEIGHT_JUMP_MORE);
	jump_constraints_deinit(&jumps);
	return rc;
}

/* ---- all ----------------------------------------------------------------------------------- */

ORDER_BY(by_place, struct estimate_item,
	 ORDER_UP(o->place.file) ?: ORDER_UP(o->place.line) ?: ORDER_UP(o->place.column)
	 ?: ORDER_UP(o->discriminator));

static bool same_place(const struct estimate_item *a, const struct estimate_item *b)
{
	return !memcmp(&a->o->place, &b->o->place, sizeof(a->o->place));
}

static int take_source(struct collector *c, const struct attribution *o,
		       const struct attribution *end)
{
	if (reliability_add(&c->reliability, o, end) ||
	    estimate_unrolled_find(&c->unrolled, c->f, o, end))
		return -1;
	for (; o < end; o++) {
		uint32_t block = notes_function_block(c->f, o->place);
		struct estimate_item item = {o, o->count};

		if (block != NOTES_NONE)
			item.count *= estimate_unrolled_times(&c->unrolled, block, o);
		if (vector_add(&c->items, item))
			return -1;
	}
	return 0;
}

static int take_items(struct collector *c, const struct constraints_source *sources, size_t count)
{
	if (reliability_init(&c->reliability, c->f))
		return -1;
	for (size_t s = 0; s < count; s++)
		if (take_source(c, vector_at(&c->all->items, sources[s].first),
				vector_at(&c->all->items, sources[s].end)))
			return -1;
	vector_sort(&c->items, by_place);
	reliability_sort(&c->reliability);
	return 0;
}

int constraints_collect(const struct notes_index *keys, const struct attributions *o,
			uint32_t function, const struct constraints_source *sources, size_t count,
			struct constraints *out)
{
	struct collector c = {.all = o, .f = &keys->functions.items[function], .out = out};
	int rc = take_items(&c, sources, count);

	c.places = (struct place_constraints){
		.all = o, .f = c.f, .reliability = &c.reliability, .out = out};
	for (size_t i = 0, j; i < c.items.count && !rc; i = j) {
		for (j = i; j < c.items.count && same_place(&c.items.items[i], &c.items.items[j]);
		     j++)
			;
		rc = place_constraints_add(&c.places, &c.items.items[i], &c.items.items[j]);
	}
	if (!rc)
		rc = demand_singles(&c);
	if (!rc && !c.f->computed_goto)
		rc = demand_jumps(&c, function, sources, count);
	vector_deinit(&c.items);
	vector_deinit(&c.places.single);
	vector_deinit(&c.places.chosen.list);
	vector_deinit(&c.places.blocks);
	vector_deinit(&c.places.ordered);
	vector_deinit(&c.contexts);
	estimate_unrolled_deinit(&c.unrolled);
	reliability_deinit(&c.reliability);
	return rc;
}
