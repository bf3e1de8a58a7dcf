/* SPDX-License-Identifier: MIT */
/* Distances between samples: their means, and that a short life is sampled evenly. */
#include "collector/session/sampler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka needs the above first */
#include <cmocka.h>

#define MEAN  25000000u
#define DRAWS 400000u

static void test_distances(void **state)
{
	uint64_t random = 7;
	double sum = 0;

	(void)state;
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t d = sampler_distance(&random, MEAN);

		assert_in_range(d, MEAN / 2, MEAN + MEAN / 2);
		sum += (double)d / MEAN;
	}
	assert_true(sum / DRAWS > 0.995 && sum / DRAWS < 1.005);
}

/* Of distances D the way from anywhere to the next sample is E(D^2) / 2 E(D) on average, 13/24 of
 * the mean; below the shortest distance each moment is as likely. */
static void test_first_distance(void **state)
{
	unsigned tenths[20] = {0};
	uint64_t random = 7;
	double sum = 0;

	(void)state;
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t d = sampler_first_distance(&random, MEAN);

		assert_in_range(d, 1, MEAN + MEAN / 2);
		sum += (double)d / MEAN;
		tenths[d * 10 / MEAN]++;
	}
	assert_true(sum / DRAWS > 13 / 24. - 0.005 && sum / DRAWS < 13 / 24. + 0.005);
	for (unsigned i = 0; i < 5; i++)
		assert_in_range(tenths[i], DRAWS / 10 * 98 / 100, DRAWS / 10 * 102 / 100);
	for (unsigned i = 5; i < 15; i++)
		assert_true(tenths[i] <= tenths[i - 1]);
}

/* Threads of a tenth of a distance: one sample of ten of them, wherever in the thread. */
static void test_short_lives_are_sampled_evenly(void **state)
{
	unsigned early = 0, late = 0;

	(void)state;
	for (uint64_t tid = 1; tid <= DRAWS; tid++) {
		uint64_t random = tid * 0x9e3779b97f4a7c15u;
		uint64_t d = sampler_first_distance(&random, MEAN);

		early += d <= MEAN / 20;
		late += d > MEAN / 20 && d <= MEAN / 10;
	}
	assert_in_range(early, DRAWS / 20 * 97 / 100, DRAWS / 20 * 103 / 100);
	assert_in_range(late, DRAWS / 20 * 97 / 100, DRAWS / 20 * 103 / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_first_distance),
		cmocka_unit_test(test_short_lives_are_sampled_evenly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
