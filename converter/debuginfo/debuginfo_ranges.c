/* SPDX-License-Identifier: MIT */
/* Address ranges that belong to numbered owners: units, functions, scopes. */
#include "converter/debuginfo/debuginfo_private.h"

#include "base/memory.h"

struct adding {
	struct debuginfo_ranges *to;
	uint32_t owner;
	bool any;
};

static int add_range(void *context, uint64_t begin, uint64_t end)
{
	struct adding *a = context;
	struct debuginfo_range *one;

	if (!begin) /* linkers leave what they removed at address 0 */
		return 0;
	one = vector_push(&a->to->list);
	if (!one)
		return -1;
	*one = (struct debuginfo_range){.begin = begin, .end = end, .owner = a->owner};
	a->any = true;
	return 0;
}

int debuginfo_ranges_add(struct debuginfo_ranges *r, struct die *e, uint32_t owner, bool *any)
{
	struct adding a = {r, owner, false};
	int rc = die_ranges(e, add_range, &a);

	if (any)
		*any = a.any;
	return rc;
}

static int by_begin(const void *x, const void *y)
{
	const struct debuginfo_range *a = x, *b = y;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->owner < b->owner ? -1 : a->owner > b->owner;
}

void debuginfo_ranges_sort(struct debuginfo_ranges *r)
{
	struct debuginfo_range *one;
	uint64_t reach = 0;

	vector_sort(&r->list, by_begin);
	vector_each (&r->list, one) {
		if (one->end > reach)
			reach = one->end;
		one->reach = reach;
	}
}

const struct debuginfo_range *debuginfo_ranges_from(const struct debuginfo_ranges *r,
						    uint64_t begin)
{
	const struct debuginfo_range *one;
	size_t low = vector_count_while(&r->list, one, one->reach <= begin);

	return low ? r->list.items + low : r->list.items;
}

const struct debuginfo_range *debuginfo_ranges_end(const struct debuginfo_ranges *r)
{
	return r->list.count ? r->list.items + r->list.count : r->list.items;
}

/* ---- flattening: a sweep with a heap of what is open, greatest owner on top ---- */

struct heap {
	VECTOR(const struct debuginfo_range *) open;
};

static void swap(const struct debuginfo_range **a, const struct debuginfo_range **b)
{
	const struct debuginfo_range *t = *a;

	*a = *b;
	*b = t;
}

static int heap_push(struct heap *h, const struct debuginfo_range *one)
{
	const struct debuginfo_range **slot = vector_push(&h->open);
	size_t i = h->open.count - 1;

	if (!slot)
		return -1;
	*slot = one;
	for (; i && h->open.items[(i - 1) / 2]->owner < h->open.items[i]->owner; i = (i - 1) / 2)
		swap(&h->open.items[i], &h->open.items[(i - 1) / 2]);
	return 0;
}

static void heap_pop(struct heap *h)
{
	size_t i = 0;

	h->open.items[0] = h->open.items[--h->open.count];
	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < h->open.count &&
		    h->open.items[child + 1]->owner > h->open.items[child]->owner)
			child++;
		if (child >= h->open.count ||
		    h->open.items[child]->owner <= h->open.items[i]->owner)
			return;
		swap(&h->open.items[i], &h->open.items[child]);
		i = child;
	}
}

static int push_flat(struct debuginfo_ranges *flat, uint64_t begin, uint64_t end, uint32_t owner)
{
	struct debuginfo_range *last = flat->list.count ? flat->list.items + flat->list.count - 1
							: NULL;

	if (last && last->owner == owner && last->end == begin) {
		last->end = end;
		return 0;
	}
	last = vector_push(&flat->list);
	if (!last)
		return -1;
	*last = (struct debuginfo_range){.begin = begin, .end = end, .owner = owner};
	return 0;
}

/* Give what is open the code from @at up to @limit. */
static int sweep(struct heap *h, struct debuginfo_ranges *flat, uint64_t at, uint64_t limit)
{
	while (h->open.count && at < limit) {
		const struct debuginfo_range *top = h->open.items[0];
		uint64_t end = top->end < limit ? top->end : limit;

		if (top->end <= at) {
			heap_pop(h);
			continue;
		}
		if (push_flat(flat, at, end, top->owner))
			return -1;
		at = end;
	}
	return 0;
}

int debuginfo_ranges_flatten(struct debuginfo_ranges *ranges)
{
	struct debuginfo_ranges flat = {0};
	const struct debuginfo_range *one;
	struct heap heap = {0};
	uint64_t at = 0;
	int rc = 0;

	debuginfo_ranges_sort(ranges);
	vector_each (&ranges->list, one) {
		rc = sweep(&heap, &flat, at, one->begin);
		if (!rc)
			rc = heap_push(&heap, one);
		if (rc)
			break;
		at = one->begin;
	}
	if (!rc)
		rc = sweep(&heap, &flat, at, UINT64_MAX);
	vector_deinit(&heap.open);
	vector_deinit(&ranges->list);
	*ranges = flat;
	if (!rc)
		debuginfo_ranges_sort(ranges);
	return rc;
}
