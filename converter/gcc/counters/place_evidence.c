/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/place_evidence.h"

#include <string.h>

#include "base/memory.h"
#include "base/order.h"

/* Of one that is known in part. */
#define SHARE_OF_SEVERAL 0.5
#define SHARE_OF_EACH	 0.3
#define SHARE_OF_ORDER	 0.7

void place_evidence_deinit(struct place_evidence *v)
{
	vector_deinit(&v->single);
	vector_deinit(&v->chosen.list);
	vector_deinit(&v->blocks);
	vector_deinit(&v->ordered);
}

static int choose(struct place_evidence *v, const struct estimate_item *i,
		  const struct estimate_item *end, uint32_t inner)
{
	v->chosen.list.count = 0;
	for (; i < end; i++) {
		struct estimate_item *slot;

		if (inner != UINT32_MAX && i->o->inner != inner)
			continue;
		slot = vector_push(&v->chosen.list);
		if (!slot)
			return -1;
		*slot = *i;
	}
	return 0;
}

/* The chosen items are of @block. */
static int is_of_block(struct place_evidence *v, uint32_t block, const struct estimate *is)
{
	struct place_block *slot = vector_push(&v->single);
	uint32_t before = doubts_before(v->doubts, block);
	double sum = 0, certain = 0;
	const struct estimate_item *i;

	if (!slot)
		return -1;
	vector_each (&v->chosen.list, i) {
		sum += (double)i->count;
		certain += (double)i->count * doubts_share(v->doubts, i->o, block);
	}
	*slot = (struct place_block){block, *is};
	certain = sum > 0 ? certain / sum : 1;
	slot->is.below = is->weight * certain;
	slot->is.pull *= certain;
	if (!is->selected || before == KEY_NONE)
		return 0;
	return evidence_wish(v->out, CIRCULATION_NODE + before, is->high, is->weight * certain, 0);
}

/* A statement in several blocks: together at least so often, each at most so often. */
static int is_of_several(struct place_evidence *v, const struct key_at *at, size_t n,
			 const struct estimate *is)
{
	struct evidence_sum *sum = vector_push(&v->out->sums);
	uint32_t last = UINT32_MAX;

	if (!sum)
		return -1;
	*sum = (struct evidence_sum){
		.first = (uint32_t)v->out->blocks.count,
		.least = is->low,
		.below = (uint32_t)(SHARE_OF_SEVERAL * is->weight * EVIDENCE_ONE)};
	for (size_t i = 0; i < n; i++) {
		uint32_t *slot;

		if (at[i].block == last)
			continue;
		last = at[i].block;
		slot = vector_push(&v->out->blocks);
		if (!slot || evidence_wish(v->out, CIRCULATION_NODE + last, is->high, 0,
					   SHARE_OF_EACH * is->weight))
			return -1;
		*slot = last;
		sum->count++;
	}
	return 0;
}

static int by_number(const void *x, const void *y)
{
	return order_numbers(*(const uint32_t *)x, *(const uint32_t *)y);
}

/* Into v->blocks the blocks of a run that may hold one several times, by discriminator. */
static int find_blocks(struct place_evidence *v, const struct key_at *at, size_t n)
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
 * are blocks in order. True if that is how it is. */
static bool find_order(struct place_evidence *v, const struct estimate_item *i,
		       const struct estimate_item *end, size_t blocks)
{
	v->ordered.count = 0;
	for (; i < end; i++) {
		size_t at = 0;
		int order = 1;

		if (!i->o->inner)
			return false;
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
			return false;
		if (!vector_push(&v->ordered))
			return false;
		memmove(&v->ordered.items[at + 1], &v->ordered.items[at],
			(v->ordered.count - 1 - at) * sizeof(uint32_t));
		v->ordered.items[at] = i->o->inner;
	}
	return v->ordered.count == blocks && blocks > 1;
}

static int give_in_order(struct place_evidence *v, const struct estimate_item *i,
			 const struct estimate_item *end)
{
	for (size_t k = 0; k < v->ordered.count; k++) {
		struct estimate is;

		if (choose(v, i, end, v->ordered.items[k]))
			return -1;
		is = estimate_make(&v->chosen);
		is.weight *= SHARE_OF_ORDER;
		if (is_of_block(v, v->blocks.items[k], &is))
			return -1;
	}
	return 0;
}

/* By discriminators, as far as they tell the blocks apart. */
static int give_by_discriminator(struct place_evidence *v, const struct estimate_item *i,
				 const struct estimate_item *end, size_t blocks)
{
	uint64_t known = 0, lost = 0;
	const struct estimate_item *first;

	for (const struct estimate_item *k = i; k < end;) {
		struct estimate is;

		for (first = k; k < end && k->o->discriminator == first->o->discriminator; k++)
			;
		if (choose(v, first, k, UINT32_MAX))
			return -1;
		is = estimate_make(&v->chosen);
		if (first->o->discriminator == OBSERVATION_NO_DISCRIMINATOR)
			lost += is.high;
		else
			known += is.high;
	}
	while (i < end) {
		const struct key_at *at;
		struct estimate is;
		size_t n;

		for (first = i; i < end && i->o->discriminator == first->o->discriminator; i++)
			;
		if (first->o->discriminator == OBSERVATION_NO_DISCRIMINATOR)
			continue;
		if (choose(v, first, i, UINT32_MAX))
			return -1;
		is = estimate_make(&v->chosen);
		if (known && lost) {
			double more = (double)(known + lost) / (double)known;

			is.low = (uint64_t)((double)is.low * more);
			is.high = (uint64_t)((double)is.high * more);
			is.weight *= SHARE_OF_SEVERAL;
		}
		at = key_function_at_exactly(v->f, first->o->place, first->o->discriminator, &n);
		if (n == 1 ? is_of_block(v, at->block, &is)
			   : n < blocks && is_of_several(v, at, n, &is))
			return -1;
	}
	return 0;
}

int place_evidence_add(struct place_evidence *v, const struct estimate_item *i,
		       const struct estimate_item *end)
{
	const struct key_at *at;
	struct estimate is;
	size_t n, blocks;

	at = key_function_at(v->f, i->o->place, &n);
	if (find_blocks(v, at, n))
		return -1;
	blocks = v->blocks.count;
	if (!blocks)
		return 0;
	if (choose(v, i, end, UINT32_MAX))
		return -1;
	is = estimate_make(&v->chosen);
	if (blocks == 1)
		return is_of_block(v, at->block, &is);
	if (is_of_several(v, at, n, &is))
		return -1;
	if (find_order(v, i, end, blocks))
		return give_in_order(v, i, end);
	return give_by_discriminator(v, i, end, blocks);
}
