/* SPDX-License-Identifier: MIT */
/* How far two halves of a recording agree on what is hot: on branches made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/memory.h"
#include "converter/pipeline/verdict.h"

static void add(struct halves *h, unsigned half, uint64_t from, uint64_t count)
{
	assert_int_equal(branch_profile_add_branch(&h->of[half], from, from + 1, count, 0), 0);
}

static double overlap_of(const struct halves *h)
{
	double overlap;

	assert_int_equal(halves_overlap(h, &overlap), 0);
	return overlap;
}

static void shares_are_compared(void **state)
{
	struct halves h = {0};

	(void)state;
	add(&h, 0, 10, 50);
	add(&h, 0, 20, 50);
	add(&h, 1, 10, 900); /* a half that is longer */
	add(&h, 1, 20, 900);
	assert_float_equal(overlap_of(&h), 1, 1e-9);
	add(&h, 1, 30, 600); /* 37.5, 37.5, 25 % */
	assert_float_equal(overlap_of(&h), 0.75, 1e-9);
	halves_deinit(&h);
}

static void what_only_one_saw_is_not_the_same(void **state)
{
	struct halves h = {0};

	(void)state;
	add(&h, 0, 10, 5);
	add(&h, 1, 20, 5);
	assert_float_equal(overlap_of(&h), 0, 1e-9);
	halves_deinit(&h);
}

/* A flat tail, of which each half saw another part, is less than a tenth. */
static void what_is_rare_does_not_count(void **state)
{
	struct halves h = {0};

	(void)state;
	for (unsigned half = 0; half < 2; half++) {
		add(&h, half, 10, 460);
		add(&h, half, 20, 460);
		for (uint64_t i = 0; i < 80; i++)
			add(&h, half, 1000 + 100 * half + i, 1);
	}
	assert_float_equal(overlap_of(&h), 1, 1e-9);
	add(&h, 0, 30, 200); /* but this is hot: 12 % more than half of the other half */
	add(&h, 1, 30, 100);
	assert_true(overlap_of(&h) < 0.95 && overlap_of(&h) > 0.85);
	halves_deinit(&h);
}

static void an_empty_half_says_nothing(void **state)
{
	struct halves h = {0};

	(void)state;
	add(&h, 0, 10, 5);
	assert_true(isnan(overlap_of(&h)));
	halves_deinit(&h);
}

static void no_memory_is_said(void **state)
{
	struct halves h = {0};
	double overlap;

	(void)state;
	add(&h, 0, 10, 5);
	add(&h, 1, 20, 5);
	memory_fail_at(1);
	assert_int_equal(halves_overlap(&h, &overlap), -1);
	memory_fail_at(0);
	assert_int_equal(halves_overlap(&h, &overlap), 0);
	halves_deinit(&h);
}

/* What two halves miss of each other falls with the square root of the length. */
static void how_much_longer(void **state)
{
	(void)state;
	assert_float_equal(halves_times_longer(0.2, 0.6), 4, 1e-9);
	assert_float_equal(halves_times_longer(0.7, 0.6), 1, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_compared),
		cmocka_unit_test(what_only_one_saw_is_not_the_same),
		cmocka_unit_test(what_is_rare_does_not_count),
		cmocka_unit_test(an_empty_half_says_nothing),
		cmocka_unit_test(no_memory_is_said),
		cmocka_unit_test(how_much_longer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
