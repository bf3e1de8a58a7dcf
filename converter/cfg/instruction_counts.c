/* SPDX-License-Identifier: MIT */
/*
 * How often did each instruction of a function run? Algorithm 2 of Chen et al., Taming Hardware
 * Event Samples for Precise and Versatile Feedback Directed Optimizations, section 4: by the
 * ranges, since they are what was seen. (By branches, algorithm 1, exact counts give the same:
 * tests/unit/instruction_counts.c.)
 */
#include "converter/cfg/cfg.h"

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
