/* SPDX-License-Identifier: MIT */
/*
 * How far the count of an instruction is the count of the block that it was made from. A block may
 * have run less often than its instructions: the compiler merged equal tails of several blocks, or
 * computes both sides of a condition and then selects. Then the instruction's count is an upper
 * bound.
 */
#include "converter/gcc/counters/constraints.h"

#include "base/order.h"

/* The share of a statement whose machine block has several predecessors where its own block has
 * one. */
#define SHARE_JOINED 0.3

void reliability_deinit(struct reliability *d)
{
	successors_deinit(&d->graph);
	vector_deinit(&d->items);
	vector_deinit(&d->jumps);
}

int reliability_init(struct reliability *d, const struct notes_function *f)
{
	d->f = f;
	return successors_init(&d->graph, f);
}

int reliability_add(struct reliability *d, const struct attribution *first,
		    const struct attribution *end)
{
	for (; first < end; first++) {
		if (vector_add(&d->items, first))
			return -1;
		if (first->kind != ATTRIBUTION_CONDITION)
			continue;
		if (vector_add(&d->jumps, first))
			return -1;
	}
	return 0;
}

static int compare_blocks(const struct attribution *a, const struct attribution *b)
{
	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	return order_numbers(a->block, b->block);
}

static int by_block(const void *x, const void *y)
{
	return compare_blocks(*(const struct attribution *const *)x,
			      *(const struct attribution *const *)y);
}

static int compare_places(const struct attribution *a, uint32_t context,
			  const struct notes_place *b)
{
	int order = order_numbers(a->context, context);

	if (!order)
		order = order_numbers(a->place.file, b->file);
	if (!order)
		order = order_numbers(a->place.line, b->line);
	return order ? order : order_numbers(a->place.column, b->column);
}

static int by_place(const void *x, const void *y)
{
	const struct attribution *b = *(const struct attribution *const *)y;

	return compare_places(*(const struct attribution *const *)x, b->context, &b->place);
}

void reliability_sort(struct reliability *d)
{
	vector_sort(&d->items, by_block);
	vector_sort(&d->jumps, by_place);
}

/* Does the code of @context jump by a condition, wherever? */
static bool jumps_by(const struct reliability *d, uint32_t context,
		     const struct notes_place *condition)
{
	const struct attribution *const *item;
	size_t at = vector_count_while(&d->jumps, item,
				       compare_places(*item, context, condition) < 0);

	return at < d->jumps.count && !compare_places(d->jumps.items[at], context, condition);
}

/* Is the condition of the block before computed in the same machine block, which does not jump by
 * it? Or is that block there, and no jump by its condition anywhere: it is tested together with the
 * next one. */
static bool is_selected(const struct reliability *d, const struct attribution *o, uint32_t before)
{
	const struct notes_place *condition;
	const struct attribution *const *item;
	size_t low;
	bool computed = false, together = false;

	if (before >= d->f->blocks.count || successors_count(&d->graph, before) < 2 ||
	    !d->f->blocks.items[before].condition.line)
		return false;
	condition = &d->f->blocks.items[before].condition;
	low = vector_count_while(&d->items, item, compare_blocks(*item, o) < 0);
	for (; low < d->items.count && !compare_blocks(d->items.items[low], o); low++) {
		const struct attribution *other = d->items.items[low];

		together |= notes_function_is_in(d->f, other->place, before);
		if (!notes_place_is(&other->place, condition))
			continue;
		if (other->kind == ATTRIBUTION_CONDITION)
			return false;
		computed = true;
	}
	return computed || (together && !jumps_by(d, o->context, condition));
}

uint32_t reliability_before(const struct reliability *d, uint32_t block)
{
	if (block >= d->f->graph->block_count || d->graph.arrivals.items[block] != 1)
		return NOTES_NONE;
	return d->graph.before.items[block];
}

double reliability_share(const struct reliability *d, const struct attribution *o, uint32_t block)
{
	uint32_t before = reliability_before(d, block);

	if (before == NOTES_NONE)
		return 1;
	/* calls and stores are not made before it is known that they have to be */
	if (o->kind != ATTRIBUTION_CALL && o->kind != ATTRIBUTION_STORE &&
	    is_selected(d, o, before))
		return 0;
	return o->joined ? SHARE_JOINED : 1;
}
