/* SPDX-License-Identifier: MIT */
#include "formats/model/profile_summary.h"

#include "base/memory.h"

struct counts {
	VECTOR(uint64_t) list;
};

static int collect(struct counts *counts, const struct source_function *f)
{
	const struct source_callsite *c;
	const struct source_line *l;

	if (vector_reserve(&counts->list, f->lines.count))
		return -1;
	vector_each (&f->lines, l)
		counts->list.items[counts->list.count++] = l->count;
	vector_each (&f->callsites, c)
		if (collect(counts, &c->callee))
			return -1;
	return 0;
}

static int greatest_first(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a > b ? -1 : a < b;
}

static void fill_entries(struct profile_summary *s, const uint64_t *counts)
{
	static const uint32_t cutoffs[PROFILE_SUMMARY_CUTOFFS] = {
		10000,	100000, 200000, 300000, 400000, 500000, 600000, 700000,
		800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999,
	};
	uint64_t sum = 0, least = 0;
	size_t taken = 0;

	for (size_t i = 0; i < PROFILE_SUMMARY_CUTOFFS; i++) {
		uint64_t wanted = (uint64_t)((unsigned __int128)s->total * cutoffs[i] / 1000000);

		while (sum < wanted && taken < s->counts) {
			least = counts[taken];
			while (taken < s->counts && counts[taken] == least)
				sum = source_count_add(sum, counts[taken++]);
		}
		s->entries[i].cutoff = cutoffs[i];
		s->entries[i].least = least;
		s->entries[i].counts = taken;
	}
}

int profile_summary_make(const struct source_profile *p, struct profile_summary *out)
{
	const struct source_function *f;
	struct counts counts = {0};
	int rc = 0;

	*out = (struct profile_summary){.functions = p->functions.count};
	vector_each (&p->functions, f) {
		if (f->head > out->greatest_head)
			out->greatest_head = f->head;
		rc = collect(&counts, f);
		if (rc)
			break;
	}
	if (!rc) {
		vector_sort(&counts.list, greatest_first);
		out->counts = counts.list.count;
		out->greatest = out->counts ? counts.list.items[0] : 0;
		for (size_t i = 0; i < out->counts; i++)
			out->total = source_count_add(out->total, counts.list.items[i]);
		fill_entries(out, counts.list.items);
	}
	vector_deinit(&counts.list);
	return rc;
}
