/* SPDX-License-Identifier: MIT */
#include "report/views/path_counts.h"

#include "base/memory.h"

/* Hot: one in so many of all taken branches, or more. Numbers have 16 bits. */
#define HOT_SHARE   20000
#define NUMBER_BITS 16

static uint64_t profile_count(const struct followed_traces *all, uint32_t branch)
{
	const struct followed_place *from = followed_traces_from(all, branch),
				    *to = followed_traces_to(all, branch);
	const struct map_entry *e;

	if (from->part == VIEW_NO_PART)
		return 0;
	e = map_find(&all->view->parts.items[from->part].profile->branches, from->va,
		     to->part == from->part ? to->va : BRANCH_OUTSIDE);
	return e ? e->n : 0;
}

/* Number the branches that were met since. */
static int number_branches(struct path_counts *c, const struct followed_traces *all)
{
	if (!c->hot.count && !vector_push(&c->hot))
		return -1;
	while (c->numbers.count < all->branches.count) {
		uint32_t branch = (uint32_t)c->numbers.count;
		uint64_t count = profile_count(all, branch);
		uint16_t *number = vector_push(&c->numbers);
		struct path_branch *hot;

		if (!number)
			return -1;
		if (!count || count < c->sum / HOT_SHARE || c->hot.count > UINT16_MAX)
			continue;
		*number = (uint16_t)c->hot.count;
		hot = vector_push(&c->hot);
		if (!hot)
			return -1;
		*hot = (struct path_branch){branch, count};
	}
	return 0;
}

/* Its number + 1, or 0 without memory. */
static uint32_t find_edge(struct path_counts *c, uint64_t history, uint16_t next)
{
	struct map_entry *number = map_at(&c->edge_numbers, history, next);
	struct path_edge *edge;

	if (!number || number->n)
		return number ? (uint32_t)number->n : 0;
	edge = c->edges.count < UINT32_MAX ? vector_push(&c->edges) : NULL;
	if (!edge)
		return 0;
	*edge = (struct path_edge){.history = history, .next = next};
	number->n = c->edges.count;
	return (uint32_t)number->n;
}

/* The edge to @next: behind @before, if there is one, mostly that which came last. */
static uint32_t edge_behind(struct path_counts *c, uint32_t before, uint64_t history, uint16_t next)
{
	uint32_t edge = before ? c->edges.items[before - 1].last : 0;

	if (edge && c->edges.items[edge - 1].next == next)
		return edge;
	edge = find_edge(c, history, next);
	if (before && edge)
		c->edges.items[before - 1].last = edge;
	return edge;
}

int path_counts_add(struct path_counts *c, const struct followed_traces *all,
		    const struct followed_trace *t)
{
	uint64_t history = 0;
	uint32_t edge = 0;
	unsigned length = 0;

	if (number_branches(c, all))
		return -1;
	for (size_t i = 0; i < t->count; i++) {
		uint16_t number = c->numbers.items[t->branches[i]];

		if (number && length == PATH_MEMORY) {
			edge = edge_behind(c, edge, history, number);
			if (!edge)
				return -1;
			c->edges.items[edge - 1].times += t->times;
		} else {
			edge = 0;
		}
		length = !number ? 0 : length < PATH_MEMORY ? length + 1 : length;
		history = history << NUMBER_BITS | number;
	}
	return 0;
}

/* ---- what follows -------------------------------------------------------------------------- */

static uint64_t last_of(uint64_t history, unsigned length)
{
	return length == PATH_MEMORY ? history
				     : history & ((UINT64_C(1) << NUMBER_BITS * length) - 1);
}

static int by_history(const void *x, const void *y)
{
	const struct path_successor *a = x, *b = y;

	if (a->history != b->history)
		return a->history < b->history ? -1 : 1;
	if (a->times != b->times)
		return a->times < b->times ? 1 : -1;
	return (a->next > b->next) - (a->next < b->next);
}

static int list(struct path_counts *c, unsigned length)
{
	const struct map_entry *i = NULL;
	const struct path_edge *edge;
	struct map sums = {0};
	int rc = 0;

	vector_each (&c->edges, edge) {
		struct map_entry *e = map_at(&sums, last_of(edge->history, length), edge->next);

		if (e)
			e->n += edge->times;
		else
			rc = -1;
	}
	for (i = NULL; !rc && (i = map_next(&sums, (struct map_entry *)i));) {
		struct path_successor *s = vector_push(&c->successors[length - 1]);

		if (s)
			*s = (struct path_successor){i->a, (uint16_t)i->b, i->n};
		else
			rc = -1;
	}
	vector_sort(&c->successors[length - 1], by_history);
	map_deinit(&sums);
	return rc;
}

int path_counts_finish(struct path_counts *c)
{
	int rc = 0;

	for (unsigned length = 1; !rc && length <= PATH_MEMORY; length++)
		rc = list(c, length);
	vector_deinit(&c->edges);
	map_deinit(&c->edge_numbers);
	return rc;
}

void path_counts_deinit(struct path_counts *c)
{
	vector_deinit(&c->hot);
	vector_deinit(&c->numbers);
	vector_deinit(&c->edges);
	map_deinit(&c->edge_numbers);
	for (unsigned i = 0; i < PATH_MEMORY; i++)
		vector_deinit(&c->successors[i]);
}

const struct path_successor *path_counts_next(const struct path_counts *c, uint64_t history,
					      unsigned length, size_t *count, uint64_t *all)
{
	for (length = length < PATH_MEMORY ? length : PATH_MEMORY; length; length--) {
		const uint64_t last = last_of(history, length);
		const struct path_successor *s, *first;
		size_t at = vector_count_while(&c->successors[length - 1], s, s->history < last);
		const size_t end = c->successors[length - 1].count;

		first = c->successors[length - 1].items + at;
		*count = 0;
		*all = 0;
		for (s = first; at + *count < end && s->history == last; s++) {
			*all += s->times;
			++*count;
		}
		if (*count)
			return first;
	}
	return NULL;
}
