/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/attributions.h"

#include "base/order.h"

void attributions_deinit(struct attributions *o)
{
	contexts_deinit(&o->contexts);
	vector_deinit(&o->items);
	vector_deinit(&o->jumps);
	vector_deinit(&o->code);
	vector_deinit(&o->gotos);
	vector_deinit(&o->functions);
	vector_deinit(&o->sites);
	map_deinit(&o->symbols);
}

#define OR_BY(order, a, b, member) \
	if (!(order))              \
	(order) = order_numbers((a)->member, (b)->member)

ORDER_BY(by_statement, struct attribution,
	 ORDER_UP(function) ?: ORDER_UP(context) ?: ORDER_UP(place.file) ?: ORDER_UP(place.line)
	 ?: ORDER_UP(place.column) ?: ORDER_UP(discriminator) ?: ORDER_UP(inner) ?: ORDER_UP(block)
	 ?: ORDER_UP(kind) ?: ORDER_UP(operation));

ORDER_BY(by_function, struct attributed_jump,
	 ORDER_UP(function) ?: ORDER_UP(context) ?: ORDER_UP(next));

ORDER_BY(by_target, struct attributed_goto, ORDER_UP(function) ?: ORDER_UP(target));

ORDER_BY(by_site, struct attributed_site,
	 ORDER_UP(function) ?: ORDER_UP(place.file) ?: ORDER_UP(place.line)
	 ?: ORDER_UP(place.column) ?: ORDER_UP(address));

ORDER_BY(by_code_address, struct attributed_instruction, ORDER_UP(address));

static void find_runs(struct attributions *o)
{
	for (size_t i = 0; i < o->jumps.count; i++) {
		struct attributed_function *f = &o->functions.items[o->jumps.items[i].function];

		if (!f->jumps++)
			f->first_jump = i;
	}
	for (size_t i = 0; i < o->gotos.count; i++) {
		struct attributed_function *f = &o->functions.items[o->gotos.items[i].function];

		if (!f->gotos++)
			f->first_goto = i;
	}
}

void attributions_sort(struct attributions *o)
{
	size_t kept = 0;

	vector_sort(&o->code, by_code_address);
	vector_sort(&o->items, by_statement);
	for (size_t i = 0; i < o->items.count; i++) {
		struct attribution *last = kept ? &o->items.items[kept - 1] : NULL,
				   *one = &o->items.items[i];

		if (last && !by_statement(last, one)) {
			last->copies++;
			last->count = one->count > last->count ? one->count : last->count;
		} else {
			o->items.items[kept++] = *one;
		}
	}
	o->items.count = kept;
	vector_sort(&o->jumps, by_function);
	vector_sort(&o->gotos, by_target);
	vector_sort(&o->sites, by_site);
	find_runs(o);
}

const struct attributed_instruction *attributions_code_at(const struct attributions *o,
							  uint64_t address, size_t *count)
{
	const struct attributed_instruction *i;
	size_t low = vector_count_while(&o->code, i, i->address < address);

	*count = 0;
	if (low == o->code.count || o->code.items[low].address != address)
		return NULL;
	while (low + *count < o->code.count &&
	       o->code.items[low + *count].block == o->code.items[low].block)
		++*count;
	return vector_at(&o->code, low);
}
