/* SPDX-License-Identifier: MIT */
#include "converter/layout/block_counts.h"

#include "base/memory.h"
#include "base/order.h"
#include "converter/binary/code.h"

struct counter {
	struct block_counts *counts;
	struct binary *binary;
	struct code_cache *code;
};

static const struct mapped_block *block_of(const struct block_counts *c, size_t place)
{
	return &c->map->blocks.items[c->by_address.items[place]];
}

/* ---- from addresses to blocks ---------------------------------------------------------------- */

/* A block's place in the map's memory, for qsort, which has no other argument. */
struct addressed {
	uint64_t begin, end;
	uint32_t block;
};

/* Those without code before the one that has it: they were before it in the function, too. */
ORDER_BY(by_address, struct addressed, ORDER_UP(begin) ?: ORDER_UP(end) ?: ORDER_UP(block));

static int sort_blocks(struct block_counts *c)
{
	size_t count = c->map->blocks.count;
	struct addressed *sorted = memory_alloc_array(count + 1, sizeof(*sorted));
	int rc = sorted ? vector_reserve(&c->by_address, count + 1) : -1;

	for (size_t i = 0; i < count && !rc; i++) {
		const struct mapped_block *b = &c->map->blocks.items[i];

		sorted[i] = (struct addressed){b->begin, b->end, (uint32_t)i};
	}
	if (!rc) {
		qsort(sorted, count, sizeof(*sorted), by_address);
		for (size_t i = 0; i < count; i++)
			c->by_address.items[c->by_address.count++] = sorted[i].block;
	}
	memory_free(sorted);
	return rc;
}

/* The place of the first block that does not begin below @va. */
static size_t place_from(const struct block_counts *c, uint64_t va)
{
	const uint32_t *it;

	return vector_count_while(&c->by_address, it, c->map->blocks.items[*it].begin < va);
}

/* The place of the block that holds @va; SIZE_MAX if none does. */
static size_t place_of(const struct block_counts *c, uint64_t va)
{
	size_t behind = va == UINT64_MAX ? 0 : place_from(c, va + 1);

	return behind && va < block_of(c, behind - 1)->end ? behind - 1 : SIZE_MAX;
}

/* The place of the first block that control is in when it comes to @va: one without code may be
 * before the one that holds it. SIZE_MAX if none does. */
static size_t place_entered(const struct block_counts *c, uint64_t va)
{
	size_t holds = place_of(c, va), first = holds;

	if (holds == SIZE_MAX || block_of(c, holds)->begin != va)
		return holds;
	while (first && block_of(c, first - 1)->begin == va &&
	       block_of(c, first - 1)->function == block_of(c, holds)->function)
		first--;
	return first;
}

/* ---- counting -------------------------------------------------------------------------------- */

static int add_jump(struct counter *x, size_t from, size_t to, uint64_t n)
{
	const uint32_t *numbers = x->counts->by_address.items;

	return map_add(&x->counts->jumps, (uint64_t)numbers[from] + 1, (uint64_t)numbers[to] + 1, n,
		       0);
}

static int count_range(struct counter *x, const struct map_entry *r)
{
	struct block_counts *c = x->counts;
	size_t first = place_entered(c, r->a), last = place_of(c, r->b);
	uint64_t bytes = r->n * (r->b - r->a + 1);

	c->bytes += bytes;
	if (first == SIZE_MAX || last == SIZE_MAX || first > last ||
	    block_of(c, first)->function != block_of(c, last)->function)
		return 0;
	c->functions[block_of(c, first)->function].bytes += bytes;
	for (size_t i = first; i <= last; i++) {
		c->runs[c->by_address.items[i]] += r->n;
		if (i < last && add_jump(x, i, i + 1, r->n))
			return -1;
	}
	return 0;
}

/* Does a call end right before @va? */
static bool is_behind_call(struct counter *x, uint64_t va)
{
	const struct binary_function *f = binary_function_at(x->binary, va);
	const struct code *code = f ? code_cache_get(x->code, f) : NULL;
	size_t at = code ? code_find(code, va) : CODE_NONE;

	return at != CODE_NONE && at && isa_is_call(code->insns[at - 1].kind);
}

/* What comes back from a call to where a block begins ran on from the one before. */
static int count_return(struct counter *x, size_t to, uint64_t va, uint64_t n)
{
	const struct block_counts *c = x->counts;

	if (!to || block_of(c, to)->begin != va || block_of(c, to - 1)->end != va ||
	    block_of(c, to - 1)->function != block_of(c, to)->function || !is_behind_call(x, va))
		return 0;
	return add_jump(x, to - 1, to, n);
}

static int count_inside(struct counter *x, size_t from, size_t to, const struct map_entry *branch)
{
	const struct mapped_block *at = block_of(x->counts, to);
	struct block_counts_function *f = &x->counts->functions[at->function];

	f->jumps += branch->n;
	if (at->begin != branch->b) {
		f->wrong += branch->n;
		return 0;
	}
	return add_jump(x, from, to, branch->n);
}

static int count_branch(struct counter *x, const struct map_entry *branch)
{
	struct block_counts *c = x->counts;
	size_t from = place_of(c, branch->a), to = place_entered(c, branch->b);
	struct isa_insn insn;
	bool known = branch->a != BRANCH_OUTSIDE && binary_decode(x->binary, branch->a, &insn);

	if (to == SIZE_MAX)
		return 0;
	if (!known || insn.kind == ISA_RETURN)
		return count_return(x, to, branch->b, branch->n);
	if (from == SIZE_MAX)
		return 0;
	if (block_of(c, from)->function == block_of(c, to)->function)
		return isa_is_call(insn.kind) ? 0 : count_inside(x, from, to, branch);
	if (c->map->functions.items[block_of(c, to)->function].entry != branch->b)
		return 0;
	return map_add(&c->calls, (uint64_t)block_of(c, from)->function + 1,
		       (uint64_t)block_of(c, to)->function + 1, branch->n, 0);
}

int block_counts_make(struct block_counts *counts, struct binary *b, const struct block_map *map,
		      const struct branch_profile *p)
{
	struct counter x = {counts, b, code_cache_new(b)};
	const struct map_entry *e;
	int rc = -1;

	counts->map = map;
	counts->runs = memory_alloc_array(map->blocks.count + 1, sizeof(*counts->runs));
	counts->functions = memory_alloc_array(map->functions.count + 1,
					       sizeof(*counts->functions));
	if (x.code && counts->runs && counts->functions)
		rc = sort_blocks(counts);
	map_each (&p->ranges, e)
		rc = rc ?: count_range(&x, e);
	map_each (&p->branches, e)
		rc = rc ?: count_branch(&x, e);
	code_cache_free(x.code);
	return rc;
}

void block_counts_deinit(struct block_counts *counts)
{
	vector_deinit(&counts->by_address);
	memory_free(counts->runs);
	map_deinit(&counts->jumps);
	map_deinit(&counts->calls);
	memory_free(counts->functions);
	*counts = (struct block_counts){0};
}
