/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/key_variants.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/strings.h"

/* One source's objects share so many of their functions, one in so many. */
#define SHARED_LEAST 2

void key_variants_deinit(struct key_variants *v)
{
	struct key_variant *o;

	vector_each (&v->objects, o) {
		memory_free(o->source);
		vector_deinit(&o->functions);
	}
	vector_deinit(&v->objects);
	map_deinit(&v->by_source);
}

static uint64_t hash_function(const struct gcc_graph *g, const struct gcc_function *f)
{
	const char *name = strings_text(g->strings, f->name);
	const char *file = strings_text(g->strings, f->file);
	uint64_t hash = hash_on(HASH_OF_NOTHING, name, strlen(name) + 1);

	hash = hash_on(hash, file, strlen(file) + 1);
	return hash_on(hash, &f->line, sizeof(f->line));
}

ORDER_BY(ascending, uint64_t, order_numbers(*a, *b));

/* What gcc makes of / and a suffix. */
static const char *source_of(const char *name)
{
	const char *last = strrchr(name, '#');

	return last ? last + 1 : name;
}

static int describe(struct key_variant *o, const char *name, const struct gcc_graph *g)
{
	const struct gcc_function *f;

	o->source = memory_copy_string(source_of(name));
	if (!o->source)
		return -1;
	vector_each (&g->functions, f) {
		uint64_t hash = hash_function(g, f);

		if (vector_add(&o->functions, hash))
			return -1;
		o->graphs = hash_on(o->graphs, &hash, sizeof(hash));
		o->graphs = hash_on(o->graphs, &f->cfg_checksum, sizeof(f->cfg_checksum));
	}
	vector_sort(&o->functions, ascending);
	return 0;
}

static bool is_of_source(const struct key_variant *a, const struct key_variant *b)
{
	size_t shared = 0, i = 0, j = 0;

	if (strcmp(a->source, b->source))
		return false;
	while (i < a->functions.count && j < b->functions.count) {
		int order = order_numbers(a->functions.items[i], b->functions.items[j]);

		shared += !order;
		i += order <= 0;
		j += order >= 0;
	}
	return shared && shared * SHARED_LEAST >= a->functions.count &&
	       shared * SHARED_LEAST >= b->functions.count;
}

/* Those whose graphs are equal are one to a key index. */
static void number_object(struct key_variants *v, struct key_variant *o)
{
	for (uint32_t i = o->before; i; i = v->objects.items[i - 1].before) {
		const struct key_variant *other = &v->objects.items[i - 1];

		if (!is_of_source(other, o))
			continue;
		o->first = other->first;
		o->number = v->objects.items[o->first].most + 1;
		if (other->graphs == o->graphs) {
			o->number = other->number;
			return;
		}
	}
	if (!o->number)
		return;
	v->objects.items[o->first].most = o->number;
	if (o->number > v->most)
		v->most = o->number;
}

int key_variants_add(struct key_variants *v, const char *name, const struct gcc_graph *g)
{
	struct key_variant *o = vector_push(&v->objects);
	struct map_entry *last;

	if (!o)
		return -1;
	*o = (struct key_variant){.first = (uint32_t)v->objects.count - 1};
	if (describe(o, name, g))
		return -1;
	last = map_at(&v->by_source, hash_on(HASH_OF_NOTHING, o->source, strlen(o->source)), 0);
	if (!last)
		return -1;
	o->before = (uint32_t)last->n;
	last->n = v->objects.count;
	number_object(v, o);
	return 0;
}

bool key_variants_is_in(const struct key_variants *v, uint32_t object, uint32_t number)
{
	const struct key_variant *o = &v->objects.items[object];

	return o->number == number || (!o->number && v->objects.items[o->first].most < number);
}
