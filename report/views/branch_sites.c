/* SPDX-License-Identifier: MIT */
/* The branch instructions of a binary that ran: how often each was taken, and how often it was run
 * past. */
#include "report/views/view.h"

#include "base/memory.h"
#include "base/order.h"
#include "converter/binary/code.h"
#include "converter/cfg/cfg.h"

struct maker {
	struct binary *binary;
	struct code_cache *cache;
	struct map numbers; /* (va, 0) -> n = index + 1 */
	struct branch_sites *out;
};

/* NULL without memory. */
static struct branch_site *site_at(struct maker *m, uint64_t va)
{
	const size_t known = m->out->items.count;
	struct branch_site *site = map_item(&m->numbers, va, 0, &m->out->items,
					    (struct branch_site){.va = va, .kind = ISA_UNKNOWN});
	struct isa_insn insn;

	if (m->out->items.count > known && m->binary && binary_decode(m->binary, va, &insn))
		site->kind = insn.kind;
	return site;
}

static int add_branches(struct maker *m, const struct branch_profile *p)
{
	const struct map_entry *i;

	map_each (&p->branches, i) {
		struct branch_site *site = i->a == BRANCH_OUTSIDE ? NULL : site_at(m, i->a);

		if (i->a == BRANCH_OUTSIDE)
			continue;
		if (!site)
			return -1;
		site->taken += i->n;
	}
	return 0;
}

static int add_outcomes(struct maker *m, const struct branch_details *d)
{
	const struct map_entry *i;

	map_each (&d->outcomes, i) {
		struct map_entry *number = map_find(&m->numbers, i->a, 0);

		if (!number) /* not of valid code */
			continue;
		m->out->items.items[number->n - 1].predicted += i->n;
		m->out->items.items[number->n - 1].mispredicted += i->m;
	}
	return 0;
}

/* @counts: how often each instruction ran, as @ranges have it. */
static int add_function(struct maker *m, const struct code *code, struct map_entry *const *ranges,
			size_t count, uint64_t *counts)
{
	instruction_counts_of_ranges(code, ranges, count, counts);
	for (size_t i = 0; i < code->count; i++) {
		struct branch_site *site;

		if (!counts[i] || code->insns[i].kind != ISA_JUMP_CONDITIONAL)
			continue;
		site = site_at(m, code->insns[i].address);
		if (!site)
			return -1;
		site->passed += counts[i];
	}
	for (size_t i = 0; i < count; i++) {
		struct map_entry *number = map_find(&m->numbers, ranges[i]->b, 0);
		struct branch_site *site = number ? &m->out->items.items[number->n - 1] : NULL;

		if (!site || site->kind != ISA_JUMP_CONDITIONAL || site->passed < ranges[i]->n)
			continue;
		site->ended += ranges[i]->n;
		site->passed -= ranges[i]->n;
	}
	return 0;
}

static int add_ranges(struct maker *m, const struct map *ranges)
{
	struct map_entry **sorted = map_sorted(ranges);
	int rc = sorted ? 0 : -1;

	for (size_t i = 0, length; !rc && i < ranges->count; i += length) {
		const struct binary_function *f = binary_function_run(m->binary, sorted + i,
								      ranges->count - i, &length);
		const struct code *code = f ? code_cache_get(m->cache, f) : NULL;
		uint64_t *counts;

		if (!f)
			continue;
		counts = code ? memory_alloc_array(code->count + 1, sizeof(*counts)) : NULL;
		rc = counts ? add_function(m, code, sorted + i, length, counts) : -1;
		memory_free(counts);
	}
	memory_free(sorted);
	return rc;
}

ORDER_BY(by_va, struct branch_site, ORDER_UP(va));

int branch_sites_make(struct branch_sites *sites, struct binary *b,
		      const struct branch_profile *profile, const struct branch_details *details)
{
	struct maker m = {.binary = b, .out = sites};
	int rc;

	m.cache = b ? code_cache_new(b) : NULL;
	rc = b && !m.cache ? -1 : add_branches(&m, profile);
	if (!rc && b)
		rc = add_ranges(&m, &profile->ranges);
	if (!rc)
		rc = add_outcomes(&m, details);
	vector_sort(&sites->items, by_va);
	code_cache_free(m.cache);
	map_deinit(&m.numbers);
	return rc;
}

void branch_sites_deinit(struct branch_sites *s)
{
	vector_deinit(&s->items);
}

const struct branch_site *branch_sites_at(const struct branch_sites *s, uint64_t va)
{
	const struct branch_site *site;
	size_t n = vector_count_while(&s->items, site, site->va < va);

	return n < s->items.count && s->items.items[n].va == va ? &s->items.items[n] : NULL;
}
