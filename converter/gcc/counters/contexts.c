/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/contexts.h"

#include "base/memory.h"

void contexts_deinit(struct contexts *c)
{
	vector_deinit(&c->items);
	vector_deinit(&c->inner);
	map_deinit(&c->known);
	map_deinit(&c->known_inner);
}

static uint64_t pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

uint32_t contexts_add(struct contexts *c, const struct context *one)
{
	struct map_entry *e = map_at(&c->known, pair(one->parent, one->name),
				     pair(one->line, one->column));

	if (e && !e->n) {
		struct context *slot = vector_push(&c->items);

		if (!slot)
			return CONTEXT_NONE;
		*slot = *one;
		e->n = c->items.count;
	}
	return e ? (uint32_t)(e->n - 1) : CONTEXT_NONE;
}

uint32_t contexts_add_inner(struct contexts *c, const struct context_inner *one)
{
	struct map_entry *e = map_at(&c->known_inner, one->outer, pair(one->line, one->column));

	if (e && !e->n) {
		struct context_inner *slot = vector_push(&c->inner);

		if (!slot)
			return 0;
		*slot = *one;
		e->n = c->inner.count;
	}
	return e ? (uint32_t)e->n : 0;
}

static unsigned depth(const struct contexts *c, uint32_t inner)
{
	unsigned n = 0;

	for (; inner; inner = c->inner.items[inner - 1].outer)
		n++;
	return n;
}

int contexts_compare_inner(const struct contexts *c, uint32_t a, uint32_t b)
{
	unsigned deep_a = depth(c, a), deep_b = depth(c, b);
	int outer;

	if (a == b)
		return 0;
	if (deep_a != deep_b) {
		outer = deep_a > deep_b ? contexts_compare_inner(c, c->inner.items[a - 1].outer, b)
					: contexts_compare_inner(c, a, c->inner.items[b - 1].outer);
		return outer ? outer : deep_a < deep_b ? -1 : 1;
	}
	outer = contexts_compare_inner(c, c->inner.items[a - 1].outer, c->inner.items[b - 1].outer);
	if (outer)
		return outer;
	if (c->inner.items[a - 1].line != c->inner.items[b - 1].line)
		return c->inner.items[a - 1].line < c->inner.items[b - 1].line ? -1 : 1;
	return c->inner.items[a - 1].column < c->inner.items[b - 1].column ? -1 : 1;
}
