/* SPDX-License-Identifier: MIT */
#include "converter/samples/modules.h"

#include "base/memory.h"

int modules_init(struct modules *m)
{
	*m = (struct modules){.strings = strings_new()};
	return m->strings ? 0 : -1;
}

void modules_deinit(struct modules *m)
{
	strings_free(m->strings);
	vector_deinit(&m->items);
	map_deinit(&m->numbers);
	*m = (struct modules){0};
}

/* FNV-1a; ids differ in it or are taken as one, which 2^-64 makes harmless. */
static uint64_t build_id_hash(const struct build_id *id)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (unsigned i = 0; i < id->size; i++)
		h = (h ^ id->bytes[i]) * 0x100000001b3u;
	return id->size ? h : 0;
}

int64_t modules_add(struct modules *m, const char *path, const struct build_id *id)
{
	uint32_t name = strings_add_text(m->strings, path);
	struct map_entry *e;
	struct module *module;

	if (name == STRINGS_NONE)
		return -1;
	e = map_at(&m->numbers, name, build_id_hash(id));
	if (!e)
		return -1;
	if (e->m) /* seen before */
		return (int64_t)e->n;
	module = vector_push(&m->items);
	if (!module)
		return -1;
	*module = (struct module){.path = name, .build_id = *id};
	e->n = m->items.count - 1;
	e->m = 1;
	return (int64_t)e->n;
}

const char *modules_path(const struct modules *m, size_t number)
{
	return strings_text(m->strings, m->items.items[number].path);
}
