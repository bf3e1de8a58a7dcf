/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/round_instances.h"

#include <string.h>

/* The number of a call site of a function in a context; CONTEXT_NONE without memory. */
static uint32_t site_of(struct rounds *r, uint32_t function, uint32_t context, uint32_t line,
			uint32_t column)
{
	struct context c = {.parent = context, .name = function, .line = line, .column = column};

	return contexts_add(&r->sites, &c);
}

/* Whose call statement does it stand for? Frames that were inlined before gcc counts have none of
 * their own: the call is in the function around them. */
static void find_call(const struct rounds *r, struct round_instance *i)
{
	const struct contexts *all = &r->observations->contexts;
	const struct context *at = &all->items.items[i->context];

	i->caller = KEY_NONE;
	if (at->parent == CONTEXT_NONE)
		return;
	i->line = at->line;
	i->column = at->column;
	for (; at->parent != CONTEXT_NONE; at = &all->items.items[at->parent]) {
		size_t n = 0;

		if (at->caller != KEY_NONE)
			key_function_calls(&r->keys->functions.items[at->caller], i->line,
					   i->column, &n);
		if (!n)
			continue;
		i->caller = at->caller;
		i->caller_context = at->parent;
		return;
	}
}

/* A function that was inlined several times before gcc counts brings its calls along: several
 * instances at one call. */
static int share_calls(struct rounds *r)
{
	struct map sums = {0};
	struct round_instance *i;
	int rc = 0;

	for (int second = 0; second < 2 && !rc; second++)
		vector_each (&r->instances, i) {
			struct map_entry *e;
			uint32_t site;

			if (i->caller == KEY_NONE)
				continue;
			site = site_of(r, i->caller, i->caller_context, i->line, i->column);
			e = site == CONTEXT_NONE ? NULL : map_at(&sums, site, i->function);
			if (!e) {
				rc = -1;
				break;
			}
			if (second) {
				i->alone = e->m == 1;
				i->weight = e->n;
			} else {
				e->n += i->most;
				e->m++;
			}
		}
	map_deinit(&sums);
	return rc;
}

int round_instances_find(struct rounds *r)
{
	const struct observations *o = r->observations;

	if (vector_reserve(&r->functions, r->keys->functions.count + 1))
		return -1;
	r->functions.count = r->keys->functions.count;
	memset(r->functions.items, 0, r->functions.count * sizeof(*r->functions.items));
	for (size_t i = 0; i < o->items.count;) {
		const struct observation *first = &o->items.items[i];
		struct round_instance *slot = vector_push(&r->instances);
		struct round_function *f = &r->functions.items[first->function];

		if (!slot)
			return -1;
		*slot = (struct round_instance){
			.function = first->function, .context = first->context, .first = i};
		for (; i < o->items.count && o->items.items[i].function == first->function &&
		       o->items.items[i].context == first->context;
		     i++)
			if (o->items.items[i].count > slot->most)
				slot->most = o->items.items[i].count;
		slot->end = i;
		find_call(r, slot);
		if (!f->count++)
			f->first = r->instances.count - 1;
	}
	r->stats.instances = r->instances.count;
	return share_calls(r);
}
