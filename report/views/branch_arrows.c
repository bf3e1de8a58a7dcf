/* SPDX-License-Identifier: MIT */
#include "report/views/branch_arrows.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

static size_t first_of(const struct branch_arrow *a)
{
	return a->from < a->to ? a->from : a->to;
}

static size_t last_of(const struct branch_arrow *a)
{
	return a->from < a->to ? a->to : a->from;
}

int branch_arrows_add(struct branch_arrows *a, size_t from, size_t to)
{
	struct branch_arrow *slot = vector_push(&a->items);

	if (!slot)
		return -1;
	*slot = (struct branch_arrow){from, to, BRANCH_ARROW_LANES};
	return 0;
}

static int by_length(const void *x, const void *y)
{
	const struct branch_arrow *a = x, *b = y;
	size_t of_a = last_of(a) - first_of(a), of_b = last_of(b) - first_of(b);

	if (of_a != of_b)
		return of_a < of_b ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

/* Arrows to one row may join there. */
static bool overlap(const struct branch_arrow *a, const struct branch_arrow *b)
{
	return first_of(a) <= last_of(b) && first_of(b) <= last_of(a) && a->to != b->to;
}

static bool is_free(const struct branch_arrows *a, const struct branch_arrow *one, unsigned lane)
{
	for (const struct branch_arrow *other = a->items.items; other < one; other++)
		if (other->lane == lane && overlap(other, one))
			return false;
	return true;
}

void branch_arrows_place(struct branch_arrows *a)
{
	struct branch_arrow *one;

	vector_sort(&a->items, by_length);
	vector_each (&a->items, one)
		for (unsigned lane = 0; lane < BRANCH_ARROW_LANES; lane++)
			if (is_free(a, one, lane)) {
				one->lane = lane;
				break;
			}
}

void branch_arrows_draw(const struct branch_arrows *a, size_t row, char room[BRANCH_ARROW_BYTES])
{
	const struct branch_arrow *one;
	unsigned outermost = 0;
	bool ends = false, arrives = false;

	memset(room, ' ', BRANCH_ARROW_LANES + 2);
	room[BRANCH_ARROW_LANES + 2] = '\0';
	vector_each (&a->items, one) {
		char *at = &room[BRANCH_ARROW_LANES - 1 - one->lane];

		if (one->lane == BRANCH_ARROW_LANES || row < first_of(one) || row > last_of(one))
			continue;
		if (row != one->from && row != one->to) {
			if (*at == ' ')
				*at = '|';
			continue;
		}
		*at = '+';
		ends = true;
		arrives |= row == one->to;
		if (one->lane > outermost)
			outermost = one->lane;
	}
	for (char *at = &room[BRANCH_ARROW_LANES - 1 - outermost]; ends && *at; at++)
		if (*at == ' ')
			*at = '-';
	if (arrives)
		room[BRANCH_ARROW_LANES + 1] = '>';
}

void branch_arrows_deinit(struct branch_arrows *a)
{
	vector_deinit(&a->items);
}
