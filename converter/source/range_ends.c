/* SPDX-License-Identifier: MIT */
#include "converter/source/range_ends.h"

/* (address, 0) -> n = ranges that end there, m = branches that leave there */
static int collect(const struct branch_profile *clean, struct map *ends)
{
	struct map_entry *i, *end;

	for (i = NULL; (i = map_next(&clean->ranges, i));) {
		end = map_at(ends, i->b, 0);
		if (!end)
			return -1;
		end->n = source_count_add(end->n, i->n);
	}
	for (i = NULL; (i = map_next(&clean->branches, i));) {
		end = i->a == BRANCH_OUTSIDE ? NULL : map_find(ends, i->a, 0);
		if (end)
			end->m = source_count_add(end->m, i->n);
	}
	return 0;
}

int range_ends_count(struct binary *b, const struct branch_profile *clean,
		     struct attribute_stats *stats)
{
	struct map ends = {0};
	struct map_entry *end = NULL;
	int rc = collect(clean, &ends);

	while (!rc && (end = map_next(&ends, end))) {
		struct isa_insn insn;
		uint64_t unrecorded = end->n > end->m ? end->n - end->m : 0;

		/* Exact counts tell nothing of returns. */
		if (!binary_decode(b, end->a, &insn) || !isa_is_branch(insn.kind) ||
		    insn.kind == ISA_RETURN || insn.kind == ISA_JUMP_CONDITIONAL)
			continue;
		stats->range_ends = source_count_add(stats->range_ends, end->n);
		stats->range_ends_unrecorded = source_count_add(stats->range_ends_unrecorded,
								unrecorded);
		if (!isa_is_call(insn.kind))
			continue;
		stats->call_runs = source_count_add(stats->call_runs, end->n);
		stats->call_runs_unrecorded = source_count_add(stats->call_runs_unrecorded,
							       unrecorded);
	}
	map_deinit(&ends);
	return rc;
}
