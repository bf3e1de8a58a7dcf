/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/round_groups.h"

#include <stdlib.h>

#include "base/memory.h"

/* Inlined instances of a function that are solved one by one: those above a share of its hottest
 * one, so many at most. The others are solved as one. */
#define SINGLE_MOST  60
#define SINGLE_SHARE 1000

void round_groups_clear(struct round_function *f)
{
	struct round_group *g;

	vector_each (&f->groups, g)
		memory_free(g->blocks);
	f->groups.count = f->members.count = 0;
	memory_free(f->arcs);
	f->arcs = NULL;
}

void round_groups_deinit(struct round_function *f)
{
	round_groups_clear(f);
	vector_deinit(&f->groups);
	vector_deinit(&f->members);
}

struct ranked {
	uint32_t instance;
	uint64_t most;
};

static int by_most(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->most != b->most)
		return a->most > b->most ? -1 : 1;
	return a->instance < b->instance ? -1 : a->instance > b->instance;
}

static int add_member(struct round_function *f, uint32_t instance, bool begins, bool own)
{
	struct round_group *g = begins ? vector_push(&f->groups)
				       : &f->groups.items[f->groups.count - 1];
	uint32_t *slot = vector_push(&f->members);

	if (!g || !slot)
		return -1;
	if (begins)
		*g = (struct round_group){.first = f->members.count - 1, .own = own};
	*slot = instance;
	g->count++;
	return 0;
}

/* The function's own code, clones together; inlined ones singly, small ones together. All together
 * where part of it was split off, which all instances share. */
int round_groups_make(const struct rounds *r, uint32_t number, struct round_function *f)
{
	bool split = r->observations->functions.items[number].split;
	struct ranked *ranked = memory_alloc_array(f->count + 1, sizeof(*ranked));
	uint64_t most = 1;
	size_t inlined = 0, singles = 0;
	bool any = false;
	int rc = ranked ? 0 : -1;

	for (size_t i = f->first; i < f->first + f->count && !rc; i++) {
		const struct round_instance *one = &r->instances.items[i];

		most = one->most > most ? one->most : most;
		if (split || context_is_symbol(&r->observations->contexts, one->context)) {
			rc = add_member(f, (uint32_t)i, !any, true);
			any = true;
		} else {
			ranked[inlined++] = (struct ranked){(uint32_t)i, one->most};
		}
	}
	if (!rc && inlined > 1)
		qsort(ranked, inlined, sizeof(*ranked), by_most);
	for (size_t i = 0; i < inlined && !rc; i++) {
		bool single = i < SINGLE_MOST && ranked[i].most * SINGLE_SHARE > most;

		rc = add_member(f, ranked[i].instance, single || i == singles, false);
		singles += single;
	}
	memory_free(ranked);
	return rc;
}
