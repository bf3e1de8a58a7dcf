/* SPDX-License-Identifier: MIT */
/* How often each piece of a function's code ran, by a sweep over the ranges that ran. */
#include "converter/source/attribute_private.h"

#include "base/order.h"

void segments_deinit(struct segments *s)
{
	vector_deinit(&s->list);
	vector_deinit(&s->edges);
}

void segments_clear(struct segments *s)
{
	s->list.count = 0;
	s->edges.count = 0;
}

static int push_edge(struct segments *s, uint64_t at, uint64_t count, bool ends)
{
	return vector_add(&s->edges, (struct segment_edge){at, count, ends});
}

int segments_add(struct segments *s, uint64_t begin, uint64_t end, uint64_t count)
{
	return push_edge(s, begin, count, false) || push_edge(s, end, count, true) ? -1 : 0;
}

ORDER_BY(edges_by_address, struct segment_edge, ORDER_UP(at));

static int push_segment(struct segments *s, uint64_t begin, uint64_t end, uint64_t count)
{
	if (begin >= end || !count)
		return 0;
	return vector_add(&s->list, (struct segment){begin, end, count});
}

int segments_sweep(struct segments *s)
{
	unsigned __int128 open = 0;
	const struct segment_edge *edge;
	uint64_t at = 0;

	s->list.count = 0;
	vector_sort(&s->edges, edges_by_address);
	vector_each (&s->edges, edge) {
		uint64_t count = open > UINT64_MAX ? UINT64_MAX : (uint64_t)open;

		if (push_segment(s, at, edge->at, count))
			return -1;
		at = edge->at;
		open = edge->ends ? open - edge->count : open + edge->count;
	}
	return 0;
}

uint64_t segments_count_at(const struct segments *s, uint64_t va)
{
	const struct segment *segment;

	vector_each (&s->list, segment)
		if (va < segment->end)
			return va >= segment->begin ? segment->count : 0;
	return 0;
}
