/* SPDX-License-Identifier: MIT */
#include "compare/counter_names.h"

#include "base/error.h"

#define POLYNOMIAL 0x04c11db7u

/* gcc's crc32_string: from the highest bit down, the NUL included. */
static uint32_t ident_of(const char *name)
{
	uint32_t sum = 0;

	do {
		sum ^= (uint32_t)(uint8_t)*name << 24;
		for (unsigned bit = 0; bit < 8; bit++)
			sum = sum << 1 ^ (sum >> 31 ? POLYNOMIAL : 0);
	} while (*name++);
	sum &= INT32_MAX;
	return sum ? sum : 1;
}

static int add_name(struct counter_names *n, const char *name)
{
	return map_item(&n->by_ident, ident_of(name), 0, &n->names, name) ? 0 : -1;
}

int counter_names_read(struct counter_names *n, const struct binary *b, struct softlbr_error *e)
{
	size_t count, aliases;
	const struct binary_function *f = binary_functions(b, &count);
	const struct binary_alias *a = binary_aliases(b, &aliases);

	for (size_t i = 0; i < count; i++)
		if (f[i].global && add_name(n, f[i].name))
			return error_set_nomem(e);
	for (size_t i = 0; i < aliases; i++)
		if (add_name(n, a[i].name))
			return error_set_nomem(e);
	return 0;
}

void counter_names_deinit(struct counter_names *n)
{
	map_deinit(&n->by_ident);
	vector_deinit(&n->names);
}

const char *counter_names_find(const struct counter_names *n, const struct counter_function *f)
{
	const struct map_entry *at = map_find(&n->by_ident, f->ident, 0);

	return at ? n->names.items[at->n - 1] : NULL;
}
