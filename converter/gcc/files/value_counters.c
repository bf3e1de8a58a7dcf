/* SPDX-License-Identifier: MIT */
/*
 * The counters of a value site as an instrumented program of gcc's would have them, made of a
 * histogram of observed values. gcc checks them against the count of the site's block: those of a
 * kind that add up to it in a real run must do so here, or compiling fails. Layouts and meanings:
 * libgcc/libgcov-profiler.c, gcc/value-prof.cc.
 */
#include "converter/gcc/files/counter_profile.h"

static int value_put(struct counter_set *out, uint64_t count)
{
	return vector_add(&out->counts, count);
}

/* Of the block's count, what falls to @runs of the observed ones; rounded down, so that parts never
 * come to more than the whole. */
static uint64_t scaled(const struct value_counters_site *site, uint64_t runs)
{
	if (!site->runs)
		return 0;
	if (runs > site->runs)
		runs = site->runs;
	return (uint64_t)((unsigned __int128)runs * site->block_count / site->runs);
}

/* Observed runs of values for which @belongs says so. */
static uint64_t sum_where(const struct value_counters_site *site,
			  bool (*belongs)(const struct value_counters_site *site, uint64_t value,
					  unsigned bucket),
			  unsigned bucket)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < site->value_count; i++)
		if (belongs(site, site->values[i].value, bucket))
			sum += site->values[i].runs;
	return sum;
}

/* steps counters of one value each, then of those behind, then of those before the interval. What
 * was not observed counts as behind: there gcc does nothing. */
static bool is_in_bucket(const struct value_counters_site *site, uint64_t value, unsigned bucket)
{
	int64_t offset = (int64_t)(value - (uint64_t)site->interval_begin);

	if (bucket == site->interval_steps + 1)
		return offset < 0;
	return offset == (int64_t)bucket;
}

static int add_interval(struct counter_set *out, const struct value_counters_site *site)
{
	unsigned steps = site->interval_steps;
	uint64_t left = site->block_count, before;
	int rc = 0;

	for (unsigned i = 0; !rc && i < steps; i++) {
		uint64_t count = scaled(site, sum_where(site, is_in_bucket, i));

		left -= count;
		rc = value_put(out, count);
	}
	before = scaled(site, sum_where(site, is_in_bucket, steps + 1));
	return rc || value_put(out, left - before) || value_put(out, before) ? -1 : 0;
}

static bool is_power_of_2(const struct value_counters_site *site, uint64_t value, unsigned bucket)
{
	(void)site;
	(void)bucket;
	return value && !(value & (value - 1));
}

/* Others, powers of 2. */
static int add_pow2(struct counter_set *out, const struct value_counters_site *site)
{
	uint64_t count = scaled(site, sum_where(site, is_power_of_2, 0));

	return value_put(out, site->block_count - count) || value_put(out, count) ? -1 : 0;
}

/* Is the value one that gcc can be told? A function without an ident is not. */
static bool is_told(const struct value_counters_site *site, size_t i)
{
	return (site->kind != COUNTER_KIND_INDIRECT || site->values[i].value) &&
	       scaled(site, site->values[i].runs);
}

/* The block's count, the number of values, and each value with its count; falling. */
static int add_top(struct counter_set *out, const struct value_counters_site *site)
{
	uint64_t told = 0;

	for (size_t i = 0; i < site->value_count && told < VALUE_COUNTERS_VALUES; i++)
		told += is_told(site, i);
	if (value_put(out, told ? site->block_count : 0) || value_put(out, told))
		return -1;
	for (size_t i = 0; told && i < site->value_count; i++) {
		if (!is_told(site, i))
			continue;
		told--;
		if (value_put(out, site->values[i].value) ||
		    value_put(out, scaled(site, site->values[i].runs)))
			return -1;
	}
	return 0;
}

/* The sum of all values, and how many: of the observed ones, for the mean is what counts. */
static int add_average(struct counter_set *out, const struct value_counters_site *site)
{
	uint64_t sum = 0, count = 0;

	for (size_t i = 0; i < site->value_count; i++) {
		uint64_t runs = scaled(site, site->values[i].runs);

		sum += site->values[i].value * runs;
		count += runs;
	}
	return value_put(out, sum) || value_put(out, count) ? -1 : 0;
}

/* All bits that any value has. */
static int add_ior(struct counter_set *out, const struct value_counters_site *site)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < site->value_count; i++)
		bits |= site->values[i].value;
	return value_put(out, bits);
}

int value_counters_add(struct counter_set *out, const struct value_counters_site *site)
{
	switch (site->kind) {
	case COUNTER_KIND_INTERVAL:
		return add_interval(out, site);
	case COUNTER_KIND_POW2:
		return add_pow2(out, site);
	case COUNTER_KIND_TOPN:
	case COUNTER_KIND_INDIRECT:
		return add_top(out, site);
	case COUNTER_KIND_AVERAGE:
		return add_average(out, site);
	case COUNTER_KIND_IOR:
		return add_ior(out, site);
	default:
		return -1;
	}
}
