/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/rounds.h"

#include "base/memory.h"
#include "converter/gcc/counters/round_calls.h"
#include "converter/gcc/counters/round_flows.h"
#include "converter/gcc/counters/round_groups.h"
#include "converter/gcc/counters/round_instances.h"

/* Behind the first one, which knows nothing of entries. */
#define ROUNDS 3

void rounds_deinit(struct rounds *r)
{
	struct round_function *f;

	vector_each (&r->functions, f)
		round_groups_deinit(f);
	vector_deinit(&r->functions);
	vector_deinit(&r->instances);
	contexts_deinit(&r->sites);
	map_deinit(&r->solved);
	map_deinit(&r->forced);
}

int rounds_run(struct rounds *r, const struct key_index *keys, const struct observations *o)
{
	r->keys = keys;
	r->observations = o;
	if (round_instances_find(r))
		return -1;
	for (r->round = 0; r->round <= ROUNDS; r->round++) {
		map_deinit(&r->solved);
		for (uint32_t n = 0; n < r->functions.count; n++)
			if (keys->functions.items[n].same_as == n && round_flows_solve(r, n))
				return -1;
		if (round_calls_count(r))
			return -1;
	}
	return 0;
}
