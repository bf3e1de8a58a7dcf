/* SPDX-License-Identifier: MIT */
/* Counters of value sites: of the number that gcc expects, and adding up to the block's count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "converter/gcc/files/counter_profile.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct counter_set made;

static void make(const struct value_counters_site *site, size_t expected)
{
	vector_deinit(&made.counts);
	made = (struct counter_set){.kind = site->kind};
	assert_int_equal(value_counters_add(&made, site), 0);
	assert_int_equal(made.counts.count, expected);
}

static uint64_t at(size_t i)
{
	return made.counts.items[i];
}

static uint64_t sum_of(size_t begin, size_t end)
{
	uint64_t sum = 0;

	while (begin < end)
		sum += at(begin++);
	return sum;
}

static const struct value_count sizes[] = {{16, 90}, {37, 7}, {8, 2}};

static struct value_counters_site site_of(enum counter_kind kind, uint64_t block_count)
{
	/* 1 of 100 had a value that was not kept */
	return (struct value_counters_site){.kind = kind,
					    .block_count = block_count,
					    .values = sizes,
					    .value_count = COUNT(sizes),
					    .runs = 100};
}

static void lists_have_the_block_s_count(void **state)
{
	struct value_counters_site site = site_of(COUNTER_KIND_TOPN, 1000003);

	(void)state;
	make(&site, 2 + 6);
	assert_int_equal(at(0), 1000003);
	assert_int_equal(at(1), 3);
	assert_int_equal(at(2), 16);
	assert_int_equal(at(3), 900002);
	assert_int_equal(at(4), 37);
	assert_true(at(3) + at(5) + at(7) <= at(0));
	/* what does not come to a run of the block is left out */
	site.block_count = 20;
	make(&site, 2 + 4);
	assert_int_equal(at(1), 2);
	site.block_count = 0;
	make(&site, 2);
	assert_int_equal(at(0) + at(1), 0);
}

static void callees_without_a_name_are_left_out(void **state)
{
	static const struct value_count callees[] = {{77, 50}, {0, 40}, {78, 10}};
	struct value_counters_site site = {.kind = COUNTER_KIND_INDIRECT,
					   .block_count = 1000,
					   .values = callees,
					   .value_count = COUNT(callees),
					   .runs = 100};

	(void)state;
	make(&site, 2 + 4);
	assert_int_equal(at(0), 1000);
	assert_int_equal(at(2), 77);
	assert_int_equal(at(3), 500);
	assert_int_equal(at(4), 78);
	assert_int_equal(at(5), 100);
}

static void no_more_values_than_gcc_keeps(void **state)
{
	struct value_count many[40];
	struct value_counters_site site = {.kind = COUNTER_KIND_TOPN,
					   .block_count = 4000,
					   .values = many,
					   .value_count = COUNT(many),
					   .runs = 40};

	(void)state;
	for (unsigned i = 0; i < COUNT(many); i++)
		many[i] = (struct value_count){1000 + i, 1};
	make(&site, 2 + 2 * VALUE_COUNTERS_VALUES);
	assert_int_equal(at(1), VALUE_COUNTERS_VALUES);
}

static void intervals_add_up(void **state)
{
	static const struct value_count quotients[] = {
		{1, 50}, {(uint64_t)-3, 20}, {0, 10}, {9, 7}};
	static const uint64_t counts[] = {0, 1, 2, 3, 7, 99, 1000003, UINT64_C(1) << 62};
	struct value_counters_site site = {.kind = COUNTER_KIND_INTERVAL,
					   .interval_steps = 2,
					   .values = quotients,
					   .value_count = COUNT(quotients),
					   .runs = 100};

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++) {
		site.block_count = counts[i];
		make(&site, 4);
		assert_true(sum_of(0, 4) == counts[i]);
	}
	site.block_count = 1000;
	make(&site, 4);
	assert_int_equal(at(0), 100);
	assert_int_equal(at(1), 500);
	assert_int_equal(at(2), 200); /* 9, and what is not known */
	assert_int_equal(at(3), 200);
	/* nothing was observed */
	site.values = NULL;
	site.value_count = site.runs = 0;
	make(&site, 4);
	assert_int_equal(at(2), 1000);
	assert_int_equal(sum_of(0, 4), 1000);
}

static void powers_of_2_add_up(void **state)
{
	struct value_counters_site site = site_of(COUNTER_KIND_POW2, 1000003);

	(void)state;
	make(&site, 2);
	assert_int_equal(at(1), 920002); /* 16 and 8 */
	assert_int_equal(sum_of(0, 2), 1000003);
	site.values = NULL;
	site.value_count = site.runs = 0;
	make(&site, 2);
	assert_int_equal(at(0), 1000003);
	assert_int_equal(at(1), 0);
}

static void averages_and_bits_are_of_what_was_observed(void **state)
{
	struct value_counters_site site = site_of(COUNTER_KIND_AVERAGE, 1000);

	(void)state;
	make(&site, 2);
	assert_int_equal(at(1), 990);
	assert_int_equal(at(0), 16 * 900 + 37 * 70 + 8 * 20);
	site.kind = COUNTER_KIND_IOR;
	make(&site, 1);
	assert_int_equal(at(0), 16 | 37 | 8);
	site.value_count = 0;
	make(&site, 1);
	assert_int_equal(at(0), 0);
}

static void other_kinds_are_refused(void **state)
{
	struct value_counters_site site = site_of(COUNTER_KIND_ARCS, 1000);

	(void)state;
	assert_int_equal(value_counters_add(&made, &site), -1);
	site.kind = COUNTER_KIND_TIME;
	assert_int_equal(value_counters_add(&made, &site), -1);
	vector_deinit(&made.counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_have_the_block_s_count),
		cmocka_unit_test(callees_without_a_name_are_left_out),
		cmocka_unit_test(no_more_values_than_gcc_keeps),
		cmocka_unit_test(intervals_add_up),
		cmocka_unit_test(powers_of_2_add_up),
		cmocka_unit_test(averages_and_bits_are_of_what_was_observed),
		cmocka_unit_test(other_kinds_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
