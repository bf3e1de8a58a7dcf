/* SPDX-License-Identifier: MIT */
/* Dominators as in K. D. Cooper, T. J. Harvey, K. Kennedy: A Simple, Fast Dominance Algorithm. */
#include "converter/cfg/blocks.h"

#include "base/memory.h"
#include "base/order.h"

/* Behind the blocks stands a root, from which entries are reached. */
struct finder {
	const struct blocks *blocks;
	uint32_t count;	    /* of blocks */
	uint32_t *first_in; /* of each block: where its edges begin in `in` */
	uint32_t *in;	    /* blocks that edges come from, by the block that they go to */
	uint32_t *dominator, *order, *postorder;
	uint32_t *loop_of; /* while a loop is filled: marked with its number */
	uint32_t *stack;
	struct loops *out;
};

static int make_room(struct finder *f)
{
	const size_t nodes = (size_t)f->count + 1;

	f->first_in = memory_alloc_array(nodes + 1, sizeof(uint32_t));
	f->in = memory_alloc_array(f->blocks->edges.count + 1, sizeof(uint32_t));
	f->dominator = memory_alloc_array(nodes, sizeof(uint32_t));
	f->order = memory_alloc_array(nodes, sizeof(uint32_t));
	f->postorder = memory_alloc_array(nodes, sizeof(uint32_t));
	f->loop_of = memory_alloc_array(nodes, sizeof(uint32_t));
	f->stack = memory_alloc_array(2 * nodes, sizeof(uint32_t));
	return f->first_in && f->in && f->dominator && f->order && f->postorder && f->loop_of &&
			       f->stack
		       ? 0
		       : -1;
}

static void collect_edges(struct finder *f)
{
	const struct block_edge *e;

	vector_each (&f->blocks->edges, e)
		f->first_in[e->to + 1]++;
	for (uint32_t i = 0; i < f->count; i++)
		f->first_in[i + 1] += f->first_in[i];
	vector_each (&f->blocks->edges, e)
		f->in[f->first_in[e->to] + f->order[e->to]++] = e->from;
}

static size_t first_out(const struct blocks *b, uint32_t block)
{
	const struct block_edge *e;

	return vector_count_while(&b->edges, e, e->from < block);
}

/* Number what is reached from @root, each block behind all that it reaches. */
static uint32_t loops_walk(struct finder *f, uint32_t root, uint32_t next)
{
	const struct blocks *b = f->blocks;
	uint32_t depth = 1;

	f->stack[0] = root;
	f->stack[1] = (uint32_t)first_out(b, root);
	f->postorder[root] = 0;
	while (depth) {
		uint32_t block = f->stack[2 * depth - 2], edge = f->stack[2 * depth - 1]++;
		uint32_t to;

		if (edge >= b->edges.count || b->edges.items[edge].from != block) {
			f->order[next] = block;
			f->postorder[block] = next++;
			depth--;
			continue;
		}
		to = b->edges.items[edge].to;
		if (f->postorder[to] != LOOPS_NONE)
			continue;
		f->postorder[to] = 0;
		f->stack[2 * depth] = to;
		f->stack[2 * depth + 1] = (uint32_t)first_out(b, to);
		depth++;
	}
	return next;
}

/* Blocks that no edge leads to, as when an indirect jump's targets are not known, are entries. */
static bool is_entry(const struct finder *f, uint32_t block)
{
	const struct block *b = &f->blocks->items.items[block];

	return b->entry || b->landing_pad || f->first_in[block] == f->first_in[block + 1];
}

static void number_blocks(struct finder *f)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i <= f->count; i++)
		f->postorder[i] = LOOPS_NONE;
	for (uint32_t i = 0; i < f->count; i++)
		if (is_entry(f, i) && f->postorder[i] == LOOPS_NONE)
			next = loops_walk(f, i, next);
	for (uint32_t i = 0; i < f->count; i++)
		if (f->postorder[i] == LOOPS_NONE)
			next = loops_walk(f, i, next);
	f->order[next] = f->count;
	f->postorder[f->count] = next;
}

static uint32_t meet(const struct finder *f, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (f->postorder[a] < f->postorder[b])
			a = f->dominator[a];
		while (f->postorder[b] < f->postorder[a])
			b = f->dominator[b];
	}
	return a;
}

static uint32_t meet_all(const struct finder *f, uint32_t block)
{
	uint32_t found = is_entry(f, block) ? f->count : LOOPS_NONE;

	for (uint32_t i = f->first_in[block]; i < f->first_in[block + 1]; i++) {
		uint32_t from = f->in[i];

		if (f->dominator[from] == LOOPS_NONE)
			continue;
		found = found == LOOPS_NONE ? from : meet(f, found, from);
	}
	return found == LOOPS_NONE ? f->count : found;
}

static void find_dominators(struct finder *f)
{
	bool changed = true;

	for (uint32_t i = 0; i < f->count; i++)
		f->dominator[i] = LOOPS_NONE;
	f->dominator[f->count] = f->count;
	while (changed) {
		changed = false;
		for (uint32_t i = f->count; i-- > 0;) {
			uint32_t block = f->order[i], found = meet_all(f, block);

			changed |= f->dominator[block] != found;
			f->dominator[block] = found;
		}
	}
}

static bool dominates(const struct finder *f, uint32_t a, uint32_t b)
{
	while (f->postorder[b] < f->postorder[a])
		b = f->dominator[b];
	return a == b;
}

static bool is_head(const struct finder *f, uint32_t block)
{
	for (uint32_t i = f->first_in[block]; i < f->first_in[block + 1]; i++)
		if (dominates(f, block, f->in[i]))
			return true;
	return false;
}

static void loops_push(struct finder *f, uint32_t *depth, struct loop *l, uint32_t mark,
		       uint32_t block)
{
	if (f->loop_of[block] == mark)
		return;
	f->loop_of[block] = mark;
	f->stack[(*depth)++] = block;
	l->blocks++;
}

/* Mark the loop's blocks in f->loop_of. */
static void loops_fill(struct finder *f, struct loop *l, uint32_t mark)
{
	uint32_t depth = 0, head = l->head;

	f->loop_of[head] = mark;
	l->blocks = 1;
	for (uint32_t i = f->first_in[head]; i < f->first_in[head + 1]; i++)
		if (dominates(f, head, f->in[i]))
			loops_push(f, &depth, l, mark, f->in[i]);
	while (depth) {
		uint32_t block = f->stack[--depth];

		for (uint32_t i = f->first_in[block]; i < f->first_in[block + 1]; i++)
			loops_push(f, &depth, l, mark, f->in[i]);
	}
}

ORDER_BY(larger_first, struct loop, ORDER_DOWN(blocks) ?: ORDER_UP(head));

static int collect(struct finder *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		struct loop *l;

		if (!is_head(f, i))
			continue;
		l = vector_push(&f->out->items);
		if (!l)
			return -1;
		*l = (struct loop){.head = i, .parent = LOOPS_NONE};
		loops_fill(f, l, i);
	}
	vector_sort(&f->out->items, larger_first);
	return 0;
}

/* A loop lies in the innermost of those that its head is in. */
static void nest(struct finder *f)
{
	struct loops *out = f->out;

	for (uint32_t i = 0; i < f->count; i++)
		out->of_block[i] = f->loop_of[i] = LOOPS_NONE;
	for (uint32_t i = 0; i < out->items.count; i++) {
		struct loop *l = &out->items.items[i];

		l->parent = out->of_block[l->head];
		l->depth = l->parent == LOOPS_NONE ? 1 : out->items.items[l->parent].depth + 1;
		loops_fill(f, l, i);
		for (uint32_t b = 0; b < f->count; b++)
			if (f->loop_of[b] == i)
				out->of_block[b] = i;
	}
}

int loops_find(struct loops *loops, const struct blocks *b)
{
	struct finder f = {.blocks = b, .count = (uint32_t)b->items.count, .out = loops};
	int rc = make_room(&f);

	loops->of_block = memory_alloc_array(b->items.count + 1, sizeof(uint32_t));
	if (!rc && loops->of_block) {
		collect_edges(&f);
		number_blocks(&f);
		find_dominators(&f);
		for (uint32_t i = 0; i < f.count; i++)
			f.loop_of[i] = LOOPS_NONE;
		rc = collect(&f);
		nest(&f);
	}
	memory_free(f.first_in);
	memory_free(f.in);
	memory_free(f.dominator);
	memory_free(f.order);
	memory_free(f.postorder);
	memory_free(f.loop_of);
	memory_free(f.stack);
	return loops->of_block ? rc : -1;
}

void loops_deinit(struct loops *loops)
{
	vector_deinit(&loops->items);
	memory_free(loops->of_block);
	*loops = (struct loops){0};
}

bool loops_contain(const struct loops *loops, uint32_t loop, uint32_t block)
{
	uint32_t at = loops->of_block[block];

	while (at != LOOPS_NONE && at != loop)
		at = loops->items.items[at].parent;
	return at == loop;
}
