/* SPDX-License-Identifier: MIT */
#include "report/views/traced_code.h"

#include "base/memory.h"

void traced_code_deinit(struct traced_code *c)
{
	struct block_finder **finder;
	struct traced_function *f;

	vector_each (&c->functions, f)
		loops_deinit(&f->loops);
	vector_each (&c->finders, finder)
		block_finder_free(*finder);
	vector_deinit(&c->functions);
	vector_deinit(&c->finders);
	vector_deinit(&c->blocks);
	vector_deinit(&c->branches);
	map_deinit(&c->numbers);
}

static struct block_finder *finder_of(struct traced_code *c, size_t part)
{
	const struct view_part *p = &c->view->parts.items[part];

	while (c->finders.count <= part)
		if (!vector_push(&c->finders))
			return NULL;
	if (!c->finders.items[part])
		c->finders.items[part] = block_finder_new(p->binary, p->profile);
	return c->finders.items[part];
}

static int add_function(struct traced_code *c, size_t part, const struct binary_function *f)
{
	struct block_finder *finder = finder_of(c, part);
	struct traced_function *slot = finder ? vector_push(&c->functions) : NULL;

	if (!slot)
		return -1;
	*slot = (struct traced_function){.part = part, .function = f, .first_loop = c->loop_count};
	slot->blocks = block_finder_get(finder, f);
	if (!slot->blocks || loops_find(&slot->loops, slot->blocks))
		return -1;
	c->loop_count += (uint32_t)slot->loops.items.count;
	return 0;
}

static int find_block(struct traced_code *c, const struct followed_place *p,
		      struct traced_block *out)
{
	struct binary *b = p->part == VIEW_NO_PART ? NULL : c->view->parts.items[p->part].binary;
	const struct binary_function *f = b ? binary_function_at(b, p->va) : NULL;
	const struct blocks *blocks;
	struct map_entry *e;
	size_t block;

	*out = (struct traced_block){TRACED_NONE, TRACED_NONE, false};
	if (!f)
		return 0;
	e = map_at(&c->numbers, f->begin, p->part);
	if (!e)
		return -1;
	if (!e->n) {
		if (add_function(c, p->part, f))
			return -1;
		e->n = c->functions.count;
	}
	blocks = c->functions.items[e->n - 1].blocks;
	block = block_list_find(blocks, p->va);
	if (block == CODE_NONE)
		return 0;
	*out = (struct traced_block){(uint32_t)(e->n - 1), (uint32_t)block,
				     blocks->items.items[block].begin == p->va};
	return 0;
}

int traced_code_extend(struct traced_code *c, const struct followed_traces *all)
{
	while (c->blocks.count < all->places.count) {
		const struct followed_place *p = &all->places.items[c->blocks.count];
		struct traced_block *slot = vector_push(&c->blocks);

		if (!slot || find_block(c, p, slot))
			return -1;
	}
	while (c->branches.count < all->branches.count) {
		const struct followed_branch *b = &all->branches.items[c->branches.count];
		struct traced_branch *slot = vector_push(&c->branches);

		if (!slot)
			return -1;
		*slot = (struct traced_branch){c->blocks.items[b->from], c->blocks.items[b->to],
					       b->kind};
	}
	return 0;
}

uint32_t traced_code_loop(const struct traced_code *c, uint32_t function, uint32_t block)
{
	return c->functions.items[function].loops.of_block[block];
}
