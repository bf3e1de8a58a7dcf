/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/views/distribution.h"

static void fill(struct distribution *d, const uint64_t (*points)[2], size_t count)
{
	*d = (struct distribution){0};
	for (size_t i = 0; i < count; i++)
		assert_int_equal(distribution_add(d, points[i][0], points[i][1]), 0);
}

/* 1 to 10, each once, and a value that comes twice. */
static void quantiles(void **state)
{
	static const uint64_t points[][2] = {{1, 1}, {2, 1}, {3, 1}, {4, 1},  {5, 1}, {6, 1},
					     {7, 1}, {8, 1}, {9, 1}, {10, 1}, {10, 1}};
	struct distribution d;

	(void)state;
	fill(&d, points, 10);
	assert_int_equal(distribution_quantile(&d, 0.5), 5);
	assert_int_equal(distribution_quantile(&d, 0.9), 9);
	assert_float_equal(distribution_mean(&d), 5.5, 1e-9);
	distribution_deinit(&d);
	fill(&d, points, 11);
	assert_int_equal(d.points.count, 10);
	assert_int_equal(d.sum, 65);
	distribution_deinit(&d);
	assert_int_equal(distribution_quantile(&d, 0.5), 0);
	assert_float_equal(distribution_mean(&d), 0, 0);
}

/* What the peaks of @points are, in the order of bins. */
static void expect_peaks(const uint64_t (*points)[2], size_t count, const uint64_t *peaks,
			 size_t peak_count)
{
	struct distribution_histogram h;
	struct distribution d;
	size_t found = 0;

	fill(&d, points, count);
	distribution_bin(&d, &h);
	for (size_t i = 0; i < DISTRIBUTION_BINS; i++) {
		if (!h.peaks[i])
			continue;
		assert_true(found < peak_count);
		assert_int_equal(h.peaks[i], peaks[found++]);
	}
	assert_int_equal(found, peak_count);
	distribution_deinit(&d);
}

static void peaks(void **state)
{
	/* a hit and a miss; the miss is named by its most frequent value */
	static const uint64_t two[][2] = {{4, 500}, {5, 300}, {200, 60}, {210, 90}};
	/* no valley between the two */
	static const uint64_t one[][2] = {{1, 100}, {2, 60}, {4, 90}};
	/* the second is below 5 % */
	static const uint64_t rare[][2] = {{1, 1000}, {100, 40}};
	/* beyond the last bin */
	static const uint64_t large[][2] = {{UINT64_C(1) << 40, 1}};
	static const uint64_t of_two[] = {4, 210}, of_one[] = {1}, of_large[] = {UINT64_C(1) << 40};

	(void)state;
	expect_peaks(two, 4, of_two, 2);
	expect_peaks(one, 3, of_one, 1);
	expect_peaks(rare, 2, of_one, 1);
	expect_peaks(large, 1, of_large, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(quantiles),
						  cmocka_unit_test(peaks)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
