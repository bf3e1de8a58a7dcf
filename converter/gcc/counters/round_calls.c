/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/round_calls.h"

static void count_calls(struct rounds *r)
{
	struct round_function *f;

	vector_each (&r->functions, f)
		f->called = 0;
	for (uint32_t n = 0; n < r->functions.count; n++) {
		const struct key_function *f = &r->keys->functions.items[n];
		const struct round_group *g;
		const struct key_call *c;

		vector_each (&r->functions.items[n].groups, g) {
			if (!g->blocks)
				continue;
			vector_each (&f->calls, c) {
				uint32_t callee = key_index_callee(r->keys, f, c);

				if (callee != KEY_NONE)
					r->functions.items[callee].called += g->blocks[c->block];
			}
		}
	}
}

static const uint64_t *blocks_of(const struct rounds *r, uint32_t function, uint32_t context)
{
	const struct map_entry *e = map_find(&r->solved, function, context);

	return e ? r->functions.items[function].groups.items[e->n - 1].blocks : NULL;
}

/* An inlined instance is entered as often as the blocks of its call ran. */
static int place_instances(struct rounds *r)
{
	struct round_instance *i;

	vector_each (&r->instances, i) {
		const uint64_t *blocks, *own = blocks_of(r, i->function, i->context);
		const struct key_call *c;
		struct map_entry *e;
		bool one = true;
		size_t n;

		blocks = i->caller == KEY_NONE ? NULL : blocks_of(r, i->caller, i->caller_context);
		if (!blocks)
			continue;
		c = key_function_calls(&r->keys->functions.items[i->caller], i->line, i->column,
				       &n);
		i->placed = true;
		i->entries = 0;
		for (size_t k = 0; k < n; k++) {
			if (k && c[k].block == c[k - 1].block)
				continue;
			one &= !k;
			i->entries += blocks[c[k].block];
		}
		if (!i->alone && i->weight)
			i->entries = (uint64_t)((unsigned __int128)i->entries * i->most /
						i->weight);
		/* what stands there and did not run was not entered */
		if (r->round || !one || (!own && i->most))
			continue;
		e = map_at(&r->forced, round_calls_key(i->caller, i->caller_context), c->block);
		if (!e)
			return -1;
		e->n += own ? own[0] : 0;
	}
	return 0;
}

static void find_taken(struct rounds *r)
{
	for (uint32_t n = 0; n < r->functions.count; n++) {
		const struct observed_function *o = &r->observations->functions.items[n];

		r->functions.items[n].taken = (o->entries > o->pointed &&
					       o->entries - o->pointed >
						       r->functions.items[n].called) ||
					      (o->symbol && !o->inlined);
	}
}

int round_calls_count(struct rounds *r)
{
	count_calls(r);
	if (place_instances(r))
		return -1;
	find_taken(r);
	return 0;
}
