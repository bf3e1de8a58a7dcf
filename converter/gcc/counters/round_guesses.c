/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/round_guesses.h"

#include "base/memory.h"
#include "converter/gcc/counters/evidence.h"
#include "converter/gcc/counters/round_flows.h"

/* Against gcc's guesses of a whole function. */
#define WEIGHT_GUESSED 50.0

/* Calls that are guessed are no more than the entries of what is called: gcc would take its own
 * code for cold, and what is inlined at these calls for all of it. @calls: of each function, by
 * number. */
static int wish_entries(const struct rounds *r, const struct key_function *keys,
			const uint32_t *calls, uint64_t entries, struct evidence *v)
{
	const struct key_call *c;

	vector_each (&keys->calls, c) {
		uint32_t callee = key_index_callee(r->keys, keys, c);
		const struct observed_function *to =
			callee == KEY_NONE ? NULL : &r->observations->functions.items[callee];

		if (to && evidence_wish(v, CIRCULATION_NODE + c->block,
					(to->entries + entries) / calls[callee], 0, WEIGHT_GUESSED))
			return -1;
	}
	return 0;
}

static int guess(struct rounds *r, uint32_t number, uint64_t entries, uint64_t most,
		 const uint32_t *calls)
{
	struct round_function *f = &r->functions.items[number];
	struct evidence evidence = {0};
	struct instance_flow problem = {.f = &r->keys->functions.items[number],
					.evidence = &evidence,
					.own = true,
					.has_entries = true,
					.entries = entries,
					.guess_most = most};
	struct round_group g = {0};
	int rc = wish_entries(r, problem.f, calls, entries, &evidence);

	if (!rc)
		rc = round_flows_add(r, f, &g, &problem);
	evidence_deinit(&evidence);
	memory_free(g.blocks);
	return rc;
}

int round_guesses_add(struct rounds *r, uint64_t entries, uint64_t most)
{
	uint32_t *calls = memory_alloc_array(r->functions.count + 1, sizeof(*calls));
	int rc = calls ? 0 : -1;

	for (uint32_t n = 0; n < r->functions.count && !rc; n++) {
		const struct key_function *f = &r->keys->functions.items[n];
		const struct key_call *c;

		vector_each (&f->calls, c) {
			uint32_t callee = key_index_callee(r->keys, f, c);

			if (callee != KEY_NONE)
				calls[callee]++;
		}
	}
	for (uint32_t n = 0; n < r->functions.count && !rc; n++)
		if (r->keys->functions.items[n].same_as == n)
			rc = guess(r, n, entries, most, calls);
	memory_free(calls);
	return rc;
}
