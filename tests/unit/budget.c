/* SPDX-License-Identifier: MIT */
/* What long traces may cost, where all samples come and where the kernel runs meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "collector/engine/budget.h"

#define MS    1000000u
#define SHARE budget_full_share(BUDGET_DEFAULT)
#define PART  (BUDGET_MILLION / SHARE)

static uint32_t after(uint32_t lag, uint64_t passed_ns, uint64_t set_ns, unsigned samples)
{
	while (samples--)
		lag = budget_lag(lag, passed_ns, set_ns);
	return lag;
}

static void test_a_trace_is_a_small_part(void **state)
{
	(void)state;
	assert_int_equal(budget_interval_ns(MS, SHARE, 25 * MS, BUDGET_ALL_COME), PART * MS);
	assert_int_equal(budget_interval_ns(MS / 10, SHARE, 25 * MS, BUDGET_ALL_COME), 25 * MS);
	assert_int_equal(budget_thinned_ns(25 * MS, false), 25 * MS);
	assert_int_equal(budget_thinned_ns(25 * MS, true), 100 * MS);
}

/* Of two samples one comes: they are set to come twice as often. */
static void test_samples_that_do_not_come_are_paid_back(void **state)
{
	uint32_t half = after(BUDGET_ALL_COME, 100 * MS, 50 * MS, 100);

	(void)state;
	assert_in_range(half, 2 * BUDGET_ALL_COME - 8, 2 * BUDGET_ALL_COME);
	assert_in_range(budget_interval_ns(2 * MS, SHARE, 25 * MS, half), PART * MS,
			PART * MS + MS);
	assert_in_range(budget_interval_ns(MS / 10, SHARE, 25 * MS, half), 12 * MS, 13 * MS);
	/* timers cost even if none is a sample */
	assert_in_range(budget_interval_ns(MS / 10, SHARE, 24 * MS, BUDGET_FEWEST_COME), 6 * MS,
			6 * MS);
	/* nor may one come before the handler of the last one has begun */
	assert_int_equal(budget_interval_ns(1, SHARE, MS / 20, BUDGET_FEWEST_COME), MS / 20);
	assert_int_equal(budget_interval_ns(1, SHARE, MS, BUDGET_FEWEST_COME), MS / 2);
}

static void test_one_gap_says_little(void **state)
{
	uint32_t once = budget_lag(BUDGET_ALL_COME, UINT64_C(3600000) * MS, 50 * MS);

	(void)state;
	assert_true(once <= 9 * BUDGET_ALL_COME);
	assert_in_range(after(once, 50 * MS, 50 * MS, 100), BUDGET_ALL_COME, BUDGET_ALL_COME + 8);
	/* a thread's clock is coarser than the timer's */
	assert_int_equal(after(BUDGET_ALL_COME, 49 * MS, 50 * MS, 9), BUDGET_ALL_COME);
	assert_int_equal(budget_lag(BUDGET_ALL_COME, MS, 0), BUDGET_ALL_COME);
}

/* Of --budget=N traces take five eighths; at the default, a fortieth of the time. */
static void test_the_budget_is_kept_by_rarer_samples(void **state)
{
	uint64_t interval = budget_interval_ns(MS, SHARE, MS, BUDGET_ALL_COME);

	(void)state;
	assert_int_equal(interval, 40 * MS);
	assert_int_equal(
		budget_interval_ns(MS, budget_full_share(BUDGET_DEFAULT / 8), MS, BUDGET_ALL_COME),
		8 * interval);
	assert_int_equal(budget_first_ns(40 * MS, SHARE), MS);
}

/* 1.5 % of 4 is for them; of more, traces give way, but for one in eight. */
static void test_dear_calls_leave_less_to_traces(void **state)
{
	(void)state;
	assert_int_equal(budget_share(BUDGET_DEFAULT, 0, 0), SHARE);
	assert_int_equal(budget_share(BUDGET_DEFAULT, 149 * MS, 10000u * (uint64_t)MS), SHARE);
	assert_in_range(budget_share(BUDGET_DEFAULT, 250 * MS, 10000u * (uint64_t)MS), 15000,
			15005);
	assert_int_equal(budget_share(BUDGET_DEFAULT, 9000u * (uint64_t)MS, 10000u * (uint64_t)MS),
			 SHARE / BUDGET_RARER + 1);
	/* and of the least budget something is left */
	assert_true(budget_share(BUDGET_LEAST, MS, MS) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_trace_is_a_small_part),
		cmocka_unit_test(test_samples_that_do_not_come_are_paid_back),
		cmocka_unit_test(test_one_gap_says_little),
		cmocka_unit_test(test_the_budget_is_kept_by_rarer_samples),
		cmocka_unit_test(test_dear_calls_leave_less_to_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
