/* SPDX-License-Identifier: MIT */
/* From the times at which addresses ran first to those of functions. */
#include "converter/source/attribute.h"

#include <string.h>

#include "base/order.h"

/* The function that @symbol is, or the part of one: main.cold is main's. NULL if it has no counts.
 */
static struct source_function *function_of(struct source_profile *p, const char *symbol)
{
	for (size_t length = strlen(symbol); length; length--) {
		uint32_t name;
		const struct map_entry *e;

		if (symbol[length] && symbol[length] != '.')
			continue;
		name = strings_find(p->strings, symbol, length);
		e = name == STRINGS_NONE ? NULL : map_find(&p->by_name, name, 0);
		if (e)
			return &p->functions.items[e->n];
	}
	return NULL;
}

void attribute_first_runs(struct binary *b, const struct map *first_runs, struct source_profile *p)
{
	const struct map_entry *i;

	map_each (first_runs, i) {
		const struct binary_function *symbol = binary_function_at(b, i->a);
		struct source_function *f = symbol ? function_of(p, symbol->name) : NULL;

		if (f)
			f->first_run_ns = order_least_known(f->first_run_ns, i->n);
	}
}
