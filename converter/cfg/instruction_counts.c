/* SPDX-License-Identifier: MIT */
/*
 * How often did each instruction of a function run? Two ways, both of Chen et al., Taming Hardware
 * Event Samples for Precise and Versatile Feedback Directed Optimizations, section 4. On exact
 * counts they agree; on sampled ones the second is what softlbr uses, since ranges are what was
 * seen.
 */
#include "converter/cfg/cfg.h"

static uint64_t arriving(const struct cfg_branches *b, uint64_t va)
{
	uint64_t sum = 0;

	for (size_t i = cfg_branches_to(b, va); i < b->by_to.count && b->by_to.items[i].to == va;
	     i++)
		if (__builtin_add_overflow(sum, b->by_to.items[i].n, &sum))
			return UINT64_MAX;
	return sum;
}

static uint64_t leaving(const struct cfg_branches *b, uint64_t va)
{
	uint64_t sum = 0;

	for (size_t i = cfg_branches_from(b, va);
	     i < b->by_from.count && b->by_from.items[i].from == va; i++)
		if (__builtin_add_overflow(sum, b->by_from.items[i].n, &sum))
			return UINT64_MAX;
	return sum;
}

void instruction_counts_of_branches(const struct code *code, const struct cfg_branches *branches,
				    bool returns, uint64_t *counts)
{
	uint64_t running = 0;

	for (size_t i = 0; i < code->count; i++) {
		const struct isa_insn *insn = &code->insns[i];
		uint64_t left;

		if (__builtin_add_overflow(running, arriving(branches, insn->address), &running))
			running = UINT64_MAX;
		counts[i] = running;
		if (isa_ends_line(insn->kind)) {
			running = 0;
		} else if (isa_is_branch(insn->kind) && (returns || !isa_is_call(insn->kind))) {
			left = leaving(branches, insn->address);
			running -= left < running ? left : running;
		}
	}
}

void instruction_counts_of_ranges(const struct code *code, struct map_entry *const *ranges,
				  size_t count, uint64_t *counts)
{
	uint64_t running = 0;

	/* first, how many more begin at an instruction than ended before it, modulo 2^64 */
	for (size_t i = 0; i < code->count; i++)
		counts[i] = 0;
	for (size_t i = 0; i < count; i++) {
		size_t first = code_find(code, ranges[i]->a), last = code_find(code, ranges[i]->b);

		if (first == CODE_NONE || last == CODE_NONE || last < first)
			continue;
		counts[first] += ranges[i]->n;
		if (last + 1 < code->count)
			counts[last + 1] -= ranges[i]->n;
	}
	for (size_t i = 0; i < code->count; i++) {
		running += counts[i];
		counts[i] = running;
	}
}
