/* SPDX-License-Identifier: MIT */
/* What causes of time cost, learnt from times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/engine/rate.h"

static const struct rate_machine machine = {.line_ps = 80000};

/* A program whose lines cost half of what is usual, whose instructions three times, and whose cold
 * blocks twice as much. */
static double truth_ps(const struct rate_work *w)
{
	return (double)w->instructions * 375 + (double)w->branches * 125 +
	       (double)w->lines * 40000 + (double)w->blocks * 2 * RATE_FIT_BLOCK_PS;
}

/* Segments of all kinds of mixtures. */
static struct rate_work segment(unsigned i)
{
	return (struct rate_work){.branches = 500,
				  .instructions = 1000 + 700 * (i % 7),
				  .lines = 11 * (i % 5),
				  .blocks = 13 * (i % 3)};
}

static void learn_one(struct rate_fit *f, const struct rate_work *w, double ps, double variance)
{
	const struct rate_factors known = rate_fit_solve(f);

	rate_fit_learn(f, &known, w, &machine, ps, variance);
}

static void learn(struct rate_fit *f, unsigned count, double times)
{
	for (unsigned i = 0; i < count; i++) {
		const struct rate_work w = segment(i);

		learn_one(f, &w, times * truth_ps(&w), 0);
	}
}

static void nothing_learnt_is_usual(void **state)
{
	const struct rate_fit f = {0};
	const struct rate_factors c = rate_fit_solve(&f);
	const struct rate_work w = segment(1);

	(void)state;
	for (unsigned i = 0; i < RATE_FIT_TERMS; i++)
		assert_true(c.of[i] == 1);
	assert_true(rate_fit_ps(&c, &w, &machine) == 1700 * 125 + 500 * 125 + 11 * 80000);
	assert_true(rate_fit_cold_ps(&c, &w) == 13 * RATE_FIT_BLOCK_PS);
}

static void causes_are_told_apart(void **state)
{
	struct rate_fit f = {0};
	struct rate_factors c;

	(void)state;
	learn(&f, 1000, 1);
	assert_int_equal(f.count, 1000);
	c = rate_fit_solve(&f);
	assert_true(c.of[RATE_FIT_INSTRUCTIONS] > 2.8 && c.of[RATE_FIT_INSTRUCTIONS] < 3.2);
	assert_true(c.of[RATE_FIT_LINES] > 0.48 && c.of[RATE_FIT_LINES] < 0.52);
	assert_true(c.of[RATE_FIT_BLOCKS] > 1.95 && c.of[RATE_FIT_BLOCKS] < 2.05);
	/* of what there was none, nothing is known */
	assert_true(c.of[RATE_FIT_CYCLES] == 1 && c.of[RATE_FIT_WAITS] == 1);
	for (unsigned i = 0; i < 30; i++) {
		const struct rate_work w = segment(i);
		double ps = rate_fit_ps(&c, &w, &machine) + rate_fit_cold_ps(&c, &w);

		assert_true(ps > 0.95 * truth_ps(&w) && ps < 1.05 * truth_ps(&w));
	}
}

/* One time in ten is thirty times as long: the thread waited for something else. */
static void the_extraordinary_counts_little(void **state)
{
	const struct rate_work w = segment(3);
	struct rate_fit f = {0};
	struct rate_factors c;
	double ps;

	(void)state;
	learn(&f, 100, 1);
	for (unsigned i = 0; i < 40; i++) {
		learn_one(&f, &w, 30 * truth_ps(&w), 0);
		learn(&f, 9, 1);
	}
	c = rate_fit_solve(&f);
	ps = rate_fit_ps(&c, &w, &machine) + rate_fit_cold_ps(&c, &w);
	assert_true(ps > 0.9 * truth_ps(&w) && ps < 1.3 * truth_ps(&w));
}

/* What may be off by more than it is tells nearly nothing. */
static void noise_is_not_believed(void **state)
{
	const struct rate_work w = segment(3);
	struct rate_fit f = {0};
	struct rate_factors c;

	(void)state;
	learn_one(&f, &w, 100 * truth_ps(&w), 1e24);
	c = rate_fit_solve(&f);
	for (unsigned i = 0; i < RATE_FIT_TERMS; i++)
		assert_true(c.of[i] > 0.99 && c.of[i] < 1.01);
}

/* Nothing is learnt from what took no time, or less than its fills alone. */
static void no_time_is_not_learnt(void **state)
{
	const struct rate_work fill = {.branches = 1, .instructions = 9, .range_bytes = 1 << 20};
	struct rate_fit f = {0};

	(void)state;
	learn_one(&f, &fill, 0, 1);
	learn_one(&f, &fill, RATE_RANGE_BYTE_PS << 20, 1);
	assert_int_equal(f.count, 0);
	assert_true(rate_fit_is_possible(&f));
}

/* An instruction takes 40 ps, however fast a program was. */
static void a_path_takes_some_time(void **state)
{
	const struct rate_work w = {.branches = 100, .instructions = 1000};
	struct rate_fit f = {0};
	struct rate_factors c;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		learn_one(&f, &w, 1, 0);
	c = rate_fit_solve(&f);
	assert_true(rate_fit_ps(&c, &w, &machine) >= 40000);
	assert_true(rate_fit_ps(&c, &(struct rate_work){0}, &machine) > 0);
	assert_true(rate_fit_is_possible(&f));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_learnt_is_usual),
		cmocka_unit_test(causes_are_told_apart),
		cmocka_unit_test(the_extraordinary_counts_little),
		cmocka_unit_test(noise_is_not_believed),
		cmocka_unit_test(no_time_is_not_learnt),
		cmocka_unit_test(a_path_takes_some_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
