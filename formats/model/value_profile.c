/* SPDX-License-Identifier: MIT */
#include "formats/model/value_profile.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"

/* Distinct values of a site that are kept: an argument that is a pointer has no end of them, and a
 * value that is worth to know comes early. */
#define KEPT_MOST 4096u

void value_profile_deinit(struct value_profile *p)
{
	vector_deinit(&p->sites);
	map_deinit(&p->numbers);
	map_deinit(&p->counts);
}

static uint64_t value_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

int value_profile_add(struct value_profile *p, uint64_t va, enum value_kind kind, uint64_t value,
		      uint64_t runs, bool direct)
{
	struct value_site *site = map_item(&p->numbers, va, kind, &p->sites,
					   (struct value_site){.va = va, .kind = kind});
	struct map_entry *e;
	uint64_t number;

	if (!site)
		return -1;
	number = (uint64_t)(site - p->sites.items);
	site->runs = value_add(site->runs, runs);
	site->samples++;
	site->direct += direct;
	if (site->values >= KEPT_MOST && !map_find(&p->counts, number, value)) {
		site->other = value_add(site->other, runs);
		return 0;
	}
	e = map_at(&p->counts, number, value);
	if (!e)
		return -1;
	site->values += !e->m;
	e->m = 1;
	e->n = value_add(e->n, runs);
	return 0;
}

const struct value_site *value_profile_find(const struct value_profile *p, uint64_t va,
					    enum value_kind kind)
{
	const struct map_entry *e = map_find(&p->numbers, va, kind);

	return e ? &p->sites.items[e->n - 1] : NULL;
}

ORDER_BY(value_compare, struct value_count, ORDER_DOWN(runs) ?: ORDER_UP(value));

int value_profile_table(const struct value_profile *p, struct value_table *out)
{
	struct map_entry **sorted = map_sorted(&p->counts);
	size_t sites = p->sites.count, count = p->counts.count, at = 0;

	*out = (struct value_table){memory_alloc_array(count + 1, sizeof(*out->counts)),
				    memory_alloc_array(sites + 1, sizeof(*out->begins))};
	if (!out->counts || !out->begins || (count && !sorted)) {
		memory_free(sorted);
		value_profile_table_deinit(out);
		return -1;
	}
	for (size_t site = 0; site < sites; site++) {
		out->begins[site] = at;
		for (; at < count && sorted[at]->a == site; at++)
			out->counts[at] = (struct value_count){sorted[at]->b, sorted[at]->n};
		qsort(out->counts + out->begins[site], at - out->begins[site], sizeof(*out->counts),
		      value_compare);
	}
	out->begins[sites] = at;
	memory_free(sorted);
	return 0;
}

void value_profile_table_deinit(struct value_table *t)
{
	memory_free(t->counts);
	memory_free(t->begins);
	*t = (struct value_table){0};
}
