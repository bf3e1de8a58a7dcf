/* SPDX-License-Identifier: MIT */
/*
 * value_counters IN OUT SIZES DIVISORS: IN, a .gcda of gcc's, with other counters of its value
 * sites: those of the histograms VALUE:RUNS,... (empty: nothing was observed). The blocks' counts
 * stay.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "converter/gcc/files/counter_profile.h"

struct histogram {
	struct value_count counts[64];
	size_t count;
	uint64_t runs;
};

static struct histogram parse(char *text)
{
	struct histogram h = {0};

	for (char *part = strtok(text, ","); part; part = strtok(NULL, ",")) {
		char *end;

		h.counts[h.count].value = (uint64_t)strtoll(part, &end, 0);
		h.counts[h.count].runs = strtoull(end + 1, NULL, 10);
		h.runs += h.counts[h.count++].runs;
	}
	return h;
}

/* What a real run counted in the site's block: the total of a list, or the sum. */
static uint64_t block_count_of(const struct counter_set *set)
{
	uint64_t sum = 0;

	if (set->kind == COUNTER_KIND_TOPN)
		return set->counts.items[0];
	if (set->kind == COUNTER_KIND_AVERAGE)
		return set->counts.items[1];
	for (size_t i = 0; i < set->counts.count; i++)
		sum += set->counts.items[i];
	return sum;
}

static int replace(struct counter_set *set, const struct histogram *h)
{
	struct counter_set made = {.kind = set->kind};
	struct value_counters_site site = {.kind = set->kind,
					   .block_count = block_count_of(set),
					   .interval_steps = 2,
					   .values = h->counts,
					   .value_count = h->count,
					   .runs = h->runs};

	/* quotients and pointers are in no histogram */
	if (set->kind == COUNTER_KIND_INTERVAL || set->kind == COUNTER_KIND_IOR)
		site.value_count = site.runs = 0;
	if (value_counters_add(&made, &site))
		return -1;
	printf("kind %d: %zu counters for %zu\n", set->kind, made.counts.count, set->counts.count);
	if (set->kind != COUNTER_KIND_TOPN && made.counts.count != set->counts.count)
		return -1;
	vector_deinit(&set->counts);
	*set = made;
	return 0;
}

int main(int argc, char **argv)
{
	struct counter_profile p;
	struct counter_function *f;
	struct counter_set *set;
	struct histogram sizes, divisors;
	struct file_view view;
	struct softlbr_error e = {0};
	int rc = 0;

	if (argc != 5)
		return 2;
	sizes = parse(argv[3]);
	divisors = parse(argv[4]);
	if (file_view_open(&view, argv[1], &e) ||
	    gcda_read_bytes(view.data, view.size, argv[1], &p, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	vector_each (&p.functions, f) {
		/* gcc counts an average of sizes alone; functions without have an empty set */
		const struct counter_set *averages = counter_function_set(f, COUNTER_KIND_AVERAGE);
		bool copies = averages && averages->counts.count;

		vector_each (&f->sets, set)
			if (set->counts.count && set->kind > COUNTER_KIND_ARCS &&
			    set->kind < COUNTER_KIND_TIME && set->kind != COUNTER_KIND_INDIRECT)
				rc |= replace(set, copies ? &sizes : &divisors);
	}
	if (!rc && gcda_write(&p, argv[2], &e))
		fprintf(stderr, "%s\n", e.text);
	counter_profile_deinit(&p);
	file_view_close(&view);
	return rc || e.code ? 1 : 0;
}
