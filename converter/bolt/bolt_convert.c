/* SPDX-License-Identifier: MIT */
#include "converter/bolt/bolt_convert.h"

#include <elf.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "converter/cfg/blocks.h"

struct bolt_writer {
	struct binary *binary;
	struct block_finder *finder;
	struct bolt_profile *out;
	struct bolt_convert_stats *stats;
	/* (to,0) -> n = arrivals by return or from outside, m = all arrivals. */
	struct map arrivals;
	VECTOR(uint64_t) crossings;	/* of the function being written: changes per block */
	uint64_t extended_at, extended; /* so much of the ranges that begin there is extended */
};

/* -1 without memory; an address without symbol gives the zero location. */
static int locate(struct bolt_writer *w, uint64_t va, struct bolt_location *out)
{
	const struct binary_function *f = binary_function_at(w->binary, va);
	const char *name = f ? f->bolt_name : NULL;
	uint64_t begin = f ? f->begin : 0;

	*out = (struct bolt_location){0};
	if (!f)
		name = binary_plt_at(w->binary, va, &begin);
	if (!name || va == BRANCH_OUTSIDE)
		return 0;
	out->offset = va - begin;
	out->symbol = strings_add_text(w->out->strings, name);
	return out->symbol == STRINGS_NONE ? -1 : 0;
}

static int write_record(struct bolt_writer *w, uint64_t from, uint64_t to, uint64_t count,
			uint64_t mispredicted)
{
	struct bolt_location a, b;

	if (locate(w, from, &a) || locate(w, to, &b))
		return -1;
	return bolt_profile_add(w->out, a, b, count, mispredicted);
}

/* Does BOLT see a block at @va, in @f? -1 without memory. */
static int is_block(struct bolt_writer *w, const struct binary_function *f, uint64_t va)
{
	const struct blocks *blocks;
	size_t i;

	if (va == f->begin)
		return 1;
	blocks = block_finder_get(w->finder, f);
	if (!blocks)
		return -1;
	i = block_list_find(blocks, va);
	return i != CODE_NONE && blocks->items.items[i].begin == va;
}

/* From outside: into a function's start or a PLT stub, or to a landing pad (the unwinder jumps
 * there). */
static int judge_entry(struct bolt_writer *w, uint64_t to, uint64_t **counter)
{
	const struct binary_function *f = binary_function_at(w->binary, to);
	const struct blocks *blocks;
	uint64_t stub;
	size_t i;

	*counter = &w->stats->branches.no_entry;
	if (!f) {
		if (binary_plt_at(w->binary, to, &stub) && stub == to)
			*counter = &w->stats->branches.entries;
		return 0;
	}
	if (to == f->begin) {
		*counter = &w->stats->branches.entries;
		return 0;
	}
	blocks = block_finder_get(w->finder, f);
	if (!blocks)
		return -1;
	i = block_list_find(blocks, to);
	if (i != CODE_NONE && blocks->items.items[i].begin == to &&
	    blocks->items.items[i].landing_pad)
		*counter = &w->stats->branches.entries;
	else
		*counter = &w->stats->branches.returns;
	return 0;
}

/* From an instruction of function @f, no return. */
static int judge_branch(struct bolt_writer *w, const struct binary_function *f, uint64_t from,
			uint64_t to, bool call, uint64_t **counter)
{
	const struct binary_function *g = binary_function_at(w->binary, to);
	const struct blocks *blocks;
	int rc;

	if (!g) {
		*counter = to != BRANCH_OUTSIDE && binary_plt_at(w->binary, to, NULL)
				   ? &w->stats->branches.calls
				   : &w->stats->branches.exits;
		return 0;
	}
	*counter = &w->stats->branches.no_entry;
	if (g == f && !call) {
		blocks = block_finder_get(w->finder, f);
		if (!blocks)
			return -1;
		if (block_list_has_edge(blocks, from, to))
			*counter = &w->stats->branches.inside;
		return 0;
	}
	rc = call ? to == g->begin : is_block(w, g, to);
	if (rc > 0)
		*counter = &w->stats->branches.calls;
	return rc < 0 ? -1 : 0;
}

/* From a PLT stub: to the function of its name, here or in another module. Jumps within stubs and
 * to the resolver are no use to BOLT. */
static uint64_t *judge_stub(struct bolt_writer *w, uint64_t from, uint64_t to)
{
	const struct binary_function *g = binary_function_at(w->binary, to);
	uint64_t begin;

	if (!binary_plt_at(w->binary, from, &begin))
		return &w->stats->branches.no_function;
	if (to == BRANCH_OUTSIDE)
		return &w->stats->branches.exits;
	return g && g->begin == to ? &w->stats->branches.calls : &w->stats->branches.no_function;
}

/* The counter of stats->branches that the branch falls under; NULL without memory. */
static uint64_t *bolt_judge(struct bolt_writer *w, uint64_t from, uint64_t to)
{
	const struct binary_function *f;
	uint64_t *counter = NULL;
	struct isa_insn insn;
	int rc;

	if (from == BRANCH_OUTSIDE)
		return judge_entry(w, to, &counter) ? NULL : counter;
	f = binary_function_at(w->binary, from);
	if (!f)
		return judge_stub(w, from, to);
	if (!binary_decode(w->binary, from, &insn))
		return &w->stats->branches.no_function;
	if (insn.kind == ISA_RETURN)
		return &w->stats->branches.returns;
	rc = judge_branch(w, f, from, to, isa_is_call(insn.kind), &counter);
	return rc ? NULL : counter;
}

static int write_branches(struct bolt_writer *w, const struct branch_profile *clean)
{
	struct bolt_convert_stats *s = w->stats;

	for (struct map_entry *e = NULL; (e = map_next(&clean->branches, e));) {
		uint64_t *counter = bolt_judge(w, e->a, e->b);

		if (!counter)
			return -1;
		s->branches.in += e->n;
		*counter += e->n;
		if ((counter == &s->branches.inside || counter == &s->branches.calls ||
		     counter == &s->branches.entries || counter == &s->branches.exits) &&
		    write_record(w, e->a, e->b, e->n, e->m))
			return -1;
	}
	return 0;
}

static int collect_arrivals(struct bolt_writer *w, const struct branch_profile *clean)
{
	for (struct map_entry *e = NULL; (e = map_next(&clean->branches, e));) {
		struct map_entry *arrival;
		struct isa_insn insn;

		if (e->b == BRANCH_OUTSIDE)
			continue;
		arrival = map_at(&w->arrivals, e->b, 0);
		if (!arrival)
			return -1;
		arrival->m += e->n;
		if (e->a == BRANCH_OUTSIDE ||
		    (binary_decode(w->binary, e->a, &insn) && insn.kind == ISA_RETURN))
			arrival->n += e->n;
	}
	return 0;
}

/*
 * A range that a return has begun behind a call at the end of a block (its continuation is a jump's
 * target too) also ran from that block into this one: how many of the range's count. No more in all
 * than returns were seen.
 */
static uint64_t returned(struct bolt_writer *w, const struct blocks *blocks, size_t i,
			 const struct map_entry *r)
{
	const struct block *b = &blocks->items.items[i];
	const struct map_entry *arrival;
	uint64_t n;

	if (!i || r->a != b->begin || b->entry || b->landing_pad ||
	    !isa_is_call(blocks->code->insns[b->first - 1].kind))
		return 0;
	arrival = map_find(&w->arrivals, r->a, 0);
	if (!arrival || !arrival->m)
		return r->n;
	if (w->extended_at != r->a)
		w->extended = 0;
	w->extended_at = r->a;
	n = (uint64_t)((__uint128_t)r->n * arrival->n / arrival->m);
	if (n > arrival->n - w->extended)
		n = arrival->n - w->extended;
	w->extended += n;
	return n;
}

static int add_range(struct bolt_writer *w, const struct blocks *blocks, const struct map_entry *r)
{
	size_t begin = block_list_find(blocks, r->a), end = block_list_find(blocks, r->b);
	uint64_t before;

	if (begin == CODE_NONE || end == CODE_NONE) {
		w->stats->ranges.no_block += r->n;
		return 0;
	}
	w->stats->ranges.functions += r->n;
	w->crossings.items[begin] += r->n;
	w->crossings.items[end] -= r->n;
	before = returned(w, blocks, begin, r);
	if (before) {
		w->crossings.items[begin - 1] += before;
		w->crossings.items[begin] -= before;
	}
	return 0;
}

static int write_crossings(struct bolt_writer *w, const struct blocks *blocks)
{
	uint64_t count = 0;

	for (size_t i = 0; i + 1 < blocks->items.count; i++) {
		count += w->crossings.items[i];
		if (!count)
			continue;
		if (write_record(w, blocks->items.items[i].last, blocks->items.items[i + 1].begin,
				 count, 0))
			return -1;
		w->stats->fall_throughs += count;
	}
	return 0;
}

/* The ranges of one function: @ranges[0..count), sorted. */
static int write_function(struct bolt_writer *w, const struct binary_function *f,
			  struct map_entry *const *ranges, size_t count)
{
	const struct blocks *blocks = block_finder_get(w->finder, f);

	if (!blocks)
		return -1;
	w->crossings.count = 0;
	if (vector_reserve(&w->crossings, blocks->items.count + 1))
		return -1;
	for (size_t i = 0; i <= blocks->items.count; i++)
		*vector_push(&w->crossings) = 0;
	for (size_t i = 0; i < count; i++)
		if (add_range(w, blocks, ranges[i]))
			return -1;
	return write_crossings(w, blocks);
}

static int write_ranges(struct bolt_writer *w, const struct branch_profile *clean)
{
	struct map_entry **sorted = map_sorted(&clean->ranges);
	size_t count = clean->ranges.count, length;
	int rc = sorted || !count ? 0 : -1;

	for (size_t i = 0; i < count && !rc; i += length) {
		const struct binary_function *f = binary_function_run(w->binary, sorted + i,
								      count - i, &length);

		for (size_t k = i; k < i + length; k++) {
			w->stats->ranges.in += sorted[k]->n;
			w->stats->ranges.no_function += f ? 0 : sorted[k]->n;
		}
		rc = f ? write_function(w, f, sorted + i, length) : 0;
	}
	memory_free(sorted);
	return rc;
}

int bolt_convert_from_branches(struct binary *b, const struct branch_profile *clean,
			       struct bolt_profile *out, struct bolt_convert_stats *stats,
			       struct softlbr_error *e)
{
	struct bolt_writer w = {.binary = b, .out = out, .stats = stats};
	int rc = -1;

	*stats = (struct bolt_convert_stats){0};
	if (binary_machine(b) != EM_X86_64 && binary_machine(b) != EM_AARCH64)
		return error_set(
			e, SOFTLBR_E_INPUT, binary_path(b),
			"%s: llvm-bolt knows x86-64 and AArch64 programs only, and this is "
			"neither (ELF machine %u); make a profile for its compiler instead",
			binary_path(b), binary_machine(b));
	w.finder = block_finder_new(b, clean);
	if (w.finder && !collect_arrivals(&w, clean) && !write_branches(&w, clean) &&
	    !write_ranges(&w, clean)) {
		bolt_profile_sort(out);
		rc = 0;
	}
	block_finder_free(w.finder);
	map_deinit(&w.arrivals);
	vector_deinit(&w.crossings);
	return rc ? error_set_nomem(e) : 0;
}

struct placer {
	struct binary *binary;
	struct map functions; /* as bolt_names_find has them */
};

/* False if the binary has no such symbol. */
static bool bolt_place(const struct placer *x, const struct bolt_location *at, uint64_t *va)
{
	const struct map_entry *e;

	*va = BRANCH_OUTSIDE;
	if (!at->symbol)
		return true;
	e = map_find(&x->functions, at->symbol, 0);
	if (e)
		*va = e->n + at->offset;
	return e;
}

static int add_record(const struct placer *x, const struct bolt_branch *r,
		      struct branch_profile *out, uint64_t *unknown)
{
	struct isa_insn insn = {0};
	uint64_t from, to;
	bool known = bolt_place(x, &r->from, &from);
	bool code = from != BRANCH_OUTSIDE && binary_decode(x->binary, from, &insn);

	/* a PLT stub is no function, but a call says where it is */
	if (!bolt_place(x, &r->to, &to) && code && insn.target)
		to = insn.target;
	else if (to == BRANCH_OUTSIDE && r->to.symbol)
		known = false;
	if (!known || (from == BRANCH_OUTSIDE && to == BRANCH_OUTSIDE)) {
		*unknown += r->count;
		return 0;
	}
	/* what is behind a call that ends a block: there it goes on, after the call's return */
	if (code && isa_is_call(insn.kind) && to == from + insn.length && insn.target != to)
		return 0;
	if (code && !isa_ends_line(insn.kind) && !isa_is_call(insn.kind) && insn.target != to)
		return to > from && to != BRANCH_OUTSIDE
			       ? branch_profile_add_range(out, from, to, r->count)
			       : 0;
	return branch_profile_add_branch(out, from, to, r->count, r->mispredicted);
}

int bolt_convert_to_branches(struct binary *b, const struct bolt_profile *p,
			     struct branch_profile *out, uint64_t *unknown)
{
	struct placer x = {.binary = b};
	const struct bolt_branch *r;
	int rc = bolt_names_find(b, p->strings, &x.functions);

	*unknown = 0;
	vector_each (&p->branches, r) {
		if (rc)
			break;
		rc = add_record(&x, r, out, unknown);
	}
	map_deinit(&x.functions);
	return rc;
}
