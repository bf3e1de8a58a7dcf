/* SPDX-License-Identifier: MIT */
/* Functions some of whose code has symbols of its own: .cold, LLVM's basic block sections. */
#include "converter/source/attribute_private.h"

#include <string.h>

/* Two functions of one name are in two compilation units. */
static struct map_entry *entry_of(struct parted_functions *p, const struct debuginfo *d,
				  const struct binary_function *f, bool make)
{
	size_t part = attribute_calls_whole(f), length = part ? part : strlen(f->name);
	uint32_t name = make ? strings_add(p->names, f->name, length)
			     : strings_find(p->names, f->name, length);
	uint32_t unit;

	if (name == STRINGS_NONE)
		return NULL;
	unit = debuginfo_unit_at(d, f->begin);
	return make ? map_at(&p->numbers, name, unit) : map_find(&p->numbers, name, unit);
}

int parted_functions_find(struct parted_functions *p, const struct binary *b,
			  const struct debuginfo *d)
{
	size_t count;
	const struct binary_function *f = binary_functions(b, &count);

	p->names = strings_new();
	if (!p->names)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct map_entry *e;

		if (!attribute_calls_is_part(&f[i]))
			continue;
		e = entry_of(p, d, &f[i], true);
		if (!e || (!e->m && !vector_push(&p->items)))
			return -1;
		if (!e->m)
			e->n = p->items.count - 1;
		e->m = 1;
	}
	return 0;
}

void parted_functions_deinit(struct parted_functions *p)
{
	struct parted_function *item;

	vector_each (&p->items, item)
		source_function_deinit(&item->function);
	vector_deinit(&p->items);
	map_deinit(&p->numbers);
	strings_free(p->names);
	p->names = NULL;
}

struct parted_function *parted_function_of(struct parted_functions *p, const struct debuginfo *d,
					   const struct binary_function *f)
{
	const struct map_entry *e = p->items.count ? entry_of(p, d, f, false) : NULL;

	return e ? &p->items.items[e->n] : NULL;
}
