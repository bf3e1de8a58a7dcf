/* SPDX-License-Identifier: MIT */
#include "converter/update/block_map.h"

#include "base/order.h"

#define ROUNDS_MOST 50

/* An edge as seen from one of its ends. */
struct link {
	uint32_t at, other;
	bool forward;
	uint8_t kind;
};

struct links {
	VECTOR(struct link) items; /* ascending */
};

struct spread {
	struct line_map *map;
	struct links before, after;
	VECTOR(bool) taken; /* blocks of the newer function */
};

ORDER_BY(compare_links, struct link,
	 ORDER_UP(at) ?: ORDER_UP(forward) ?: ORDER_UP(other) ?: ORDER_UP(kind));

static int list_links(struct links *l, const struct blocks *b)
{
	const struct block_edge *e;

	vector_each (&b->edges, e)
		if (vector_add(&l->items, (struct link){e->from, e->to, true, e->kind}) ||
		    vector_add(&l->items, (struct link){e->to, e->from, false, e->kind}))
			return -1;
	vector_sort(&l->items, compare_links);
	return 0;
}

/* The only block that is left beside @at, in the direction of @like, and with @by_kind by such an
 * edge; UINT32_MAX if there is none, or several. */
static uint32_t only_neighbour(const struct spread *s, bool after, uint32_t at,
			       const struct link *like, bool by_kind)
{
	const struct links *l = after ? &s->after : &s->before;
	const struct link *i;
	size_t first = vector_count_while(
		&l->items, i, i->at < at || (i->at == at && i->forward < like->forward));
	uint32_t found = UINT32_MAX;

	for (i = vector_at(&l->items, first); i < l->items.items + l->items.count; i++) {
		if (i->at != at || i->forward != like->forward)
			break;
		if ((by_kind && i->kind != like->kind) || i->other == found ||
		    (after ? s->taken.items[i->other] : s->map->to.items[i->other] != 0))
			continue;
		if (found != UINT32_MAX)
			return UINT32_MAX;
		found = i->other;
	}
	return found;
}

/* From a found block to one beside it. */
static bool follow_link(struct spread *s, const struct link *l)
{
	uint32_t at = s->map->to.items[l->at];

	if (!at || s->map->to.items[l->other])
		return false;
	for (int by_kind = 0; by_kind < 2; by_kind++) {
		uint32_t from = only_neighbour(s, false, l->at, l, by_kind);
		uint32_t to = only_neighbour(s, true, at - 1, l, by_kind);

		if (from != l->other || to == UINT32_MAX)
			continue;
		s->map->to.items[from] = to + 1;
		s->taken.items[to] = true;
		return true;
	}
	return false;
}

static int spread_begin(struct spread *s, const struct blocks *before, const struct blocks *after)
{
	const uint32_t *to;

	if (list_links(&s->before, before) || list_links(&s->after, after))
		return -1;
	while (s->map->to.count < before->items.count)
		if (!vector_push(&s->map->to))
			return -1;
	while (s->taken.count < after->items.count)
		if (!vector_push(&s->taken))
			return -1;
	vector_each (&s->map->to, to)
		if (*to)
			s->taken.items[*to - 1] = true;
	return 0;
}

int block_map_spread(struct line_map *map, const struct blocks *before, const struct blocks *after)
{
	struct spread s = {.map = map};
	int rc = spread_begin(&s, before, after);
	const struct link *l;
	bool found = !rc;

	for (int round = 0; found && round < ROUNDS_MOST; round++) {
		found = false;
		vector_each (&s.before.items, l)
			found |= follow_link(&s, l);
	}
	vector_deinit(&s.before.items);
	vector_deinit(&s.after.items);
	vector_deinit(&s.taken);
	return rc;
}
