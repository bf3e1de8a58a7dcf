/* SPDX-License-Identifier: MIT */
#include "converter/cfg/blocks.h"

#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "converter/binary/unwind_frames.h"

/* Why an instruction begins a block. */
#define LEADER	     1u
#define LEADER_ENTRY 2u
#define LEADER_PAD   4u

struct observed {
	uint64_t from, to;
};

/* One of a function's parts, by the name that all of them begin with. */
struct part {
	const char *base;
	size_t length;
	const struct binary_function *function;
};

struct block_finder {
	struct binary *binary;
	struct code_cache *cache;
	const struct binary_function *functions;
	size_t count;
	struct blocks **blocks; /* by function number; NULL = not asked for yet */
	/* Jumps seen that the code of the function does not show: direct ones of other functions,
	 * and indirect ones within a function and its parts; by `to`. An indirect jump from
	 * elsewhere (longjmp, a coroutine) is no reason for llvm-bolt to begin a block. */
	VECTOR(struct observed) arrivals;
	/* Functions that have several parts (`f` and `f.cold`), by name: their jumps and landing
	 * pads go across. */
	VECTOR(struct part) parts;
};

/* The state while one function is cut into blocks. */
struct cutter {
	struct block_finder *finder;
	const struct code *code;
	uint8_t *leaders; /* per instruction */
	struct jump_targets tables;
	struct landing_pads pads;
	size_t arrivals_begin, arrivals_end; /* the finder's that arrive here */
};

ORDER_BY(compare_observed, struct observed, ORDER_UP(to) ?: ORDER_UP(from));

static bool is_arrival(struct block_finder *finder, uint64_t from, uint64_t to)
{
	const struct binary_function *f = binary_function_at(finder->binary, from);
	const struct binary_function *g = binary_function_at(finder->binary, to);
	struct isa_insn insn;

	if (!g || !binary_decode(finder->binary, from, &insn))
		return false;
	if (insn.kind == ISA_JUMP_INDIRECT)
		return f && jump_tables_same_function(f, g);
	return (insn.kind == ISA_JUMP || insn.kind == ISA_JUMP_CONDITIONAL) && f != g;
}

static int collect_arrivals(struct block_finder *finder, const struct branch_profile *clean)
{
	for (struct map_entry *e = NULL; (e = map_next(&clean->branches, e));) {
		if (e->a == BRANCH_OUTSIDE || e->b == BRANCH_OUTSIDE ||
		    !is_arrival(finder, e->a, e->b))
			continue;
		if (vector_add(&finder->arrivals, (struct observed){e->a, e->b}))
			return -1;
	}
	vector_sort(&finder->arrivals, compare_observed);
	return 0;
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	size_t length = x->length < y->length ? x->length : y->length;
	int by_name = memcmp(x->base, y->base, length);

	if (by_name || x->length != y->length)
		return by_name ? by_name : x->length < y->length ? -1 : 1;
	if (!x->function || !y->function)
		return 0;
	return x->function->begin < y->function->begin ? -1 : x->function != y->function;
}

static struct part part_of(const struct binary_function *f)
{
	return (struct part){f->name, jump_tables_base_name(f->name), f};
}

static int add_part(struct block_finder *finder, const struct binary_function *f)
{
	return vector_add(&finder->parts, part_of(f));
}

/* First the cold parts, then the functions whose parts these are. */
static int collect_parts(struct block_finder *finder)
{
	const struct binary_function *f = finder->functions;
	size_t cold;

	for (size_t i = 0; i < finder->count; i++)
		if (part_of(&f[i]).length < strlen(f[i].name) && add_part(finder, &f[i]))
			return -1;
	vector_sort(&finder->parts, compare_parts);
	cold = finder->parts.count;
	for (size_t i = 0; i < finder->count && cold; i++) {
		struct part key = part_of(&f[i]);

		if (key.length < strlen(f[i].name))
			continue;
		key.function = NULL; /* any part of it */
		if (bsearch(&key, finder->parts.items, cold, sizeof(key), compare_parts) &&
		    add_part(finder, &f[i]))
			return -1;
	}
	vector_sort(&finder->parts, compare_parts);
	return 0;
}

struct block_finder *block_finder_new(struct binary *b, const struct branch_profile *clean)
{
	struct block_finder *finder = memory_alloc(sizeof(*finder));

	if (!finder)
		return NULL;
	finder->binary = b;
	finder->functions = binary_functions(b, &finder->count);
	finder->cache = code_cache_new(b);
	finder->blocks = memory_alloc_array(finder->count + 1, sizeof(struct blocks *));
	if (!finder->cache || !finder->blocks || collect_arrivals(finder, clean) ||
	    collect_parts(finder)) {
		block_finder_free(finder);
		return NULL;
	}
	return finder;
}

static void block_list_free(struct blocks *b)
{
	if (!b)
		return;
	vector_deinit(&b->items);
	vector_deinit(&b->edges);
	memory_free(b);
}

void block_finder_free(struct block_finder *finder)
{
	if (!finder)
		return;
	for (size_t i = 0; finder->blocks && i < finder->count; i++)
		block_list_free(finder->blocks[i]);
	memory_free(finder->blocks);
	code_cache_free(finder->cache);
	vector_deinit(&finder->arrivals);
	vector_deinit(&finder->parts);
	memory_free(finder);
}

static void mark(struct cutter *c, uint64_t va, uint8_t why)
{
	size_t i = code_find(c->code, va);

	if (i != CODE_NONE)
		c->leaders[i] |= why;
}

static bool is_inside(const struct code *c, uint64_t va)
{
	return va >= c->function->begin && va < c->function->end;
}

/* A jump out of the function: llvm-bolt's tail call. */
static bool leaves(const struct cutter *c, const struct isa_insn *insn)
{
	return !is_inside(c->code, insn->target);
}

static void mark_direct(struct cutter *c)
{
	const struct isa_insn *insns = c->code->insns;

	for (size_t i = 0; i < c->code->count; i++) {
		uint8_t kind = insns[i].kind;
		bool pair;

		if (kind == ISA_JUMP || kind == ISA_JUMP_CONDITIONAL)
			mark(c, insns[i].target, LEADER);
		if (i + 1 == c->code->count)
			break;
		pair = kind == ISA_JUMP_CONDITIONAL && insns[i + 1].kind == ISA_JUMP &&
		       !leaves(c, &insns[i]) && !leaves(c, &insns[i + 1]);
		if (((isa_is_branch(kind) && !isa_is_call(kind)) || kind == ISA_STOP) && !pair)
			c->leaders[i + 1] |= LEADER;
		if (insns[i].address + insns[i].length != insns[i + 1].address)
			c->leaders[i + 1] |= LEADER; /* behind bytes that are no instruction */
	}
}

static void mark_arrivals(struct cutter *c)
{
	const struct observed *a;
	size_t low = vector_count_while(&c->finder->arrivals, a, a->to < c->code->function->begin);

	c->arrivals_begin = low;
	for (; low < c->finder->arrivals.count; low++) {
		a = &c->finder->arrivals.items[low];
		if (a->to >= c->code->function->end)
			break;
		mark(c, a->to, is_inside(c->code, a->from) ? LEADER : LEADER | LEADER_ENTRY);
	}
	c->arrivals_end = low;
}

/* Direct jumps, tables and landing pads of another part that come here. */
static int mark_from_part(struct cutter *c, const struct binary_function *part)
{
	const struct code *code = code_cache_get(c->finder->cache, part);
	struct jump_targets tables = {0};
	struct landing_pads pads = {0};
	const struct landing_site *site;
	const struct jump_target *t;
	int rc;

	if (!code)
		return -1;
	for (size_t i = 0; i < code->count; i++)
		if (code->insns[i].kind == ISA_JUMP || code->insns[i].kind == ISA_JUMP_CONDITIONAL)
			mark(c, code->insns[i].target, LEADER | LEADER_ENTRY);
	rc = jump_tables_find(c->finder->binary, c->finder->cache, code, &tables)
		     ?: unwind_landing_pads_find(c->finder->binary, part, &pads);
	vector_each (&tables.items, t)
		mark(c, t->va, LEADER | LEADER_ENTRY);
	vector_each (&pads.sites, site)
		mark(c, site->pad, LEADER | LEADER_PAD);
	vector_deinit(&tables.items);
	vector_deinit(&pads.sites);
	return rc;
}

static int mark_from_parts(struct cutter *c)
{
	struct part key = part_of(c->code->function);
	const struct part *all = c->finder->parts.items;
	const struct part *part;
	size_t low;

	key.function = NULL;
	low = vector_count_while(&c->finder->parts, part, compare_parts(part, &key) < 0);
	for (; low < c->finder->parts.count && !compare_parts(&all[low], &key); low++)
		if (all[low].function != c->code->function && mark_from_part(c, all[low].function))
			return -1;
	return 0;
}

static int find_leaders(struct cutter *c)
{
	const struct landing_site *site;
	const struct jump_target *t;

	if (jump_tables_find(c->finder->binary, c->finder->cache, c->code, &c->tables) ||
	    unwind_landing_pads_find(c->finder->binary, c->code->function, &c->pads))
		return -1;
	if (c->code->count)
		c->leaders[0] |= LEADER | LEADER_ENTRY;
	mark_direct(c);
	vector_each (&c->tables.items, t)
		mark(c, t->va, LEADER);
	vector_each (&c->pads.sites, site)
		mark(c, site->pad, LEADER | LEADER_PAD);
	mark_arrivals(c);
	return mark_from_parts(c);
}

static int make_blocks(const struct cutter *c, struct blocks *out)
{
	struct block *b = NULL;

	for (size_t i = 0; i < c->code->count; i++) {
		if (!b || c->leaders[i]) {
			b = vector_push(&out->items);
			if (!b)
				return -1;
			b->first = (uint32_t)i;
			b->begin = c->code->insns[i].address;
			b->entry = c->leaders[i] & LEADER_ENTRY;
			b->landing_pad = c->leaders[i] & LEADER_PAD;
		}
		b->count++;
		b->last = c->code->insns[i].address;
	}
	return 0;
}

/* Without effect if no block begins at @to. */
static int add_edge(struct blocks *b, size_t from, uint64_t insn, uint64_t to, uint8_t kind)
{
	size_t number = block_list_find(b, to);

	if (number == CODE_NONE || b->items.items[number].begin != to)
		return 0;
	return vector_add(&b->edges,
			  (struct block_edge){(uint32_t)from, (uint32_t)number, insn, kind});
}

static int add_indirect_edges(const struct cutter *c, struct blocks *b, size_t block, size_t insn)
{
	uint64_t va = c->code->insns[insn].address;
	const struct jump_target *t;
	const struct observed *a;

	vector_each (&c->tables.items, t)
		if (t->insn == insn && add_edge(b, block, va, t->va, BLOCK_INDIRECT))
			return -1;
	vector_each (&c->finder->arrivals, a)
		if (a->from == va && add_edge(b, block, va, a->to, BLOCK_INDIRECT))
			return -1;
	return 0;
}

static int add_edges_of(const struct cutter *c, struct blocks *b, size_t number)
{
	const struct block *block = &b->items.items[number];
	const struct isa_insn *last = &c->code->insns[block->first + block->count - 1];
	int rc = 0;

	for (size_t i = block->first; i < block->first + block->count && !rc; i++) {
		const struct isa_insn *insn = &c->code->insns[i];
		uint64_t pad;

		if (insn->kind == ISA_JUMP || insn->kind == ISA_JUMP_CONDITIONAL)
			rc = add_edge(b, number, insn->address, insn->target, BLOCK_JUMP);
		else if (insn->kind == ISA_JUMP_INDIRECT)
			rc = add_indirect_edges(c, b, number, i);
		else if (isa_is_call(insn->kind) &&
			 (pad = unwind_landing_pad_of_call(&c->pads, insn->address)))
			rc = add_edge(b, number, insn->address, pad, BLOCK_UNWIND);
	}
	if (!rc && !isa_ends_line(last->kind))
		rc = add_edge(b, number, last->address, last->address + last->length, BLOCK_FALL);
	return rc;
}

ORDER_BY(compare_edges, struct block_edge,
	 ORDER_UP(from) ?: ORDER_UP(to) ?: ORDER_UP(insn) ?: ORDER_UP(kind));

static int make_edges(const struct cutter *c, struct blocks *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->items.count; i++)
		if (add_edges_of(c, b, i))
			return -1;
	vector_sort(&b->edges, compare_edges);
	for (size_t i = 0; i < b->edges.count; i++)
		if (!kept || compare_edges(&b->edges.items[kept - 1], &b->edges.items[i]))
			b->edges.items[kept++] = b->edges.items[i];
	b->edges.count = kept;
	return 0;
}

static int cut(struct cutter *c, struct blocks *out)
{
	int rc = -1;

	c->leaders = memory_alloc(c->code->count ? c->code->count : 1);
	if (c->leaders && !find_leaders(c) && !make_blocks(c, out) && !make_edges(c, out))
		rc = 0;
	memory_free(c->leaders);
	vector_deinit(&c->tables.items);
	vector_deinit(&c->pads.sites);
	return rc;
}

const struct blocks *block_finder_get(struct block_finder *finder, const struct binary_function *f)
{
	struct blocks **slot = &finder->blocks[f - finder->functions];
	struct cutter c = {.finder = finder};
	struct blocks *out;

	if (*slot)
		return *slot;
	c.code = code_cache_get(finder->cache, f);
	out = memory_alloc(sizeof(*out));
	if (!c.code || !out) {
		memory_free(out);
		return NULL;
	}
	out->code = c.code;
	if (cut(&c, out)) {
		block_list_free(out);
		return NULL;
	}
	*slot = out;
	return out;
}

size_t block_list_find(const struct blocks *b, uint64_t va)
{
	const struct block *block;
	size_t low = vector_count_while(&b->items, block, block->begin <= va);

	return low && code_find(b->code, va) != CODE_NONE ? low - 1 : CODE_NONE;
}

bool block_list_has_edge(const struct blocks *b, uint64_t from, uint64_t to)
{
	size_t block = block_list_find(b, from);
	const struct block_edge *e;

	for (size_t i = vector_count_while(&b->edges, e, e->from < block); i < b->edges.count;
	     i++) {
		e = &b->edges.items[i];
		if (e->from != block)
			break;
		if (e->insn == from && b->items.items[e->to].begin == to)
			return true;
	}
	return false;
}
