/* SPDX-License-Identifier: MIT */
/* What the other side of a session wrote is taken over only if it can be true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "collector/shared/trusted.h"

#define ONE STOPWATCH_TREND_SCALE

static const struct rate_machine machine = {.near_ticks = 30,
					    .farther_ticks = 60,
					    .slow_ticks = 200,
					    .line_ps = 50000,
					    .tick_1024_ps = 400000};
static const struct rate_work path = {.branches = 2048, .instructions = 20000};

static const struct session_costs honest = {.stops = {.count = 5,
						      .calibration = 1024,
						      .calibrated = 5,
						      .trend = {.count = 3,
								.x = 3 * 11 * ONE,
								.y = 3 * 11 * ONE,
								.xx = 3 * 121 * ONE * ONE,
								.xy = 3 * 121 * ONE * ONE},
						      .ps = {7, 8, 9},
						      .interrupts = 2,
						      .interrupt_ps = {5, 6}},
					    .trace_ns = 250000,
					    .lag = 2048};

/* What the next process has, after one with these costs. */
static struct session_costs next(const struct session_costs *costs)
{
	struct session_costs to = {0};

	trusted_costs_copy(&to, costs);
	return to;
}

/* How long a path takes that was not timed. */
static uint64_t untimed_ps(struct session_costs *costs)
{
	const struct stopwatch none = {0};

	return stopwatch_path_ps(&none, &path, &machine, &costs->stops);
}

/* A process that lives for a trace or a few goes on with what others measured. */
static void what_was_measured_is_handed_on(void **state)
{
	struct session_costs to = next(&honest), alone = honest;

	(void)state;
	assert_memory_equal(&to, &honest, sizeof(to));
	/* 2^11 ps a branch, as the trend has it */
	assert_in_range(untimed_ps(&to), 2048 * 2000, 2048 * 2500);
	/* and of one whose paths interrupts alone have timed */
	alone.stops.count = 0;
	to = next(&alone);
	assert_memory_equal(&to, &alone, sizeof(to));
}

/* Sums that no logarithms have: nothing of them comes to the next process. */
static void a_trend_that_cannot_be_is_refused(void **state)
{
	static const struct stopwatch_trend trends[] = {
		{3, 3 * ONE * 14, 3 * ONE * 40, 0, 0},
		{3, INT64_MAX, INT64_MIN, INT64_MAX, INT64_MAX},
		{1000, 1000 * ONE * 14, -1000 * ONE * INT64_C(900), 0, 0},
		{3, 3 * ONE * 11, 3 * ONE * 11, INT64_MIN, INT64_MAX},
		{3, 3 * ONE * 11, 3 * ONE * 11, 3 * 121 * ONE * ONE, INT64_MIN},
		{3, 3 * ONE * 11, 3 * ONE * 32, 3 * 121 * ONE * ONE, 3 * 352 * ONE * ONE},
		{3, 3 * ONE * 11, 3 * ONE * 4, 3 * 121 * ONE * ONE, 3 * 44 * ONE * ONE},
		{3, 0, 0, 0, 0},
		{UINT32_MAX, INT64_C(11) * ONE * UINT32_MAX, INT64_C(11) * ONE * UINT32_MAX,
		 INT64_C(121) * ONE * ONE * UINT32_MAX, INT64_C(121) * ONE * ONE * UINT32_MAX},
	};
	const uint64_t model = rate_model_ps(&path, &machine);

	(void)state;
	for (size_t i = 0; i < sizeof(trends) / sizeof(trends[0]); i++) {
		struct session_costs hostile = honest, to;

		hostile.stops.trend = trends[i];
		to = next(&hostile);
		assert_int_equal(to.stops.trend.count, 0);
		assert_int_equal(untimed_ps(&to), model);
		assert_int_equal(to.lag, honest.lag);
	}
}

/* Whatever the sums of a trend that is let through, a time stays within what its path can take. */
static void a_trend_at_its_limits_does_no_harm(void **state)
{
	static const int logs[] = {7, 40}, offs[] = {-6, 13};
	const uint64_t model = rate_model_ps(&path, &machine);

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const int64_t n = 1 << 30, x = n * logs[i % 2] * ONE, off = offs[i / 2] * ONE;
		struct session_costs costs = honest, to;

		costs.stops.trend = (struct stopwatch_trend){(uint32_t)n, x, x + n * off,
							     x * logs[i % 2] * ONE,
							     x * logs[i % 2] * ONE + x * off};
		to = next(&costs);
		assert_int_equal(to.stops.trend.count, n);
		assert_in_range(untimed_ps(&to), model >> 7, UINT64_C(1) << 62);
	}
}

static void other_costs_that_cannot_be_are_refused(void **state)
{
	struct session_costs costs = honest, to;

	(void)state;
	costs.stops.ps[2] = STOPWATCH_STOP_MOST_PS + 1;
	costs.trace_ns = UINT64_MAX;
	costs.lag = 1;
	to = next(&costs);
	assert_int_equal(to.stops.count, 0);
	assert_int_equal(to.trace_ns, 0);
	assert_int_equal(to.lag, BUDGET_ALL_COME);
	costs = honest;
	costs.stops.calibration = STOPWATCH_CALIBRATION_MOST + 1;
	assert_int_equal(next(&costs).stops.count, 0);
	costs.stops.calibration = STOPWATCH_CALIBRATION_LEAST - 1;
	assert_int_equal(next(&costs).stops.count, 0);
	costs = honest;
	costs.stops.interrupt_ps[STOPWATCH_STOP_COSTS - 1] = STOPWATCH_STOP_MOST_PS + 1;
	to = next(&costs);
	assert_int_equal(to.stops.count, 0);
	assert_int_equal(to.stops.interrupts, 0);
	assert_false(trusted_trace_ns(0));
}

static void headers_are_compared(void **state)
{
	struct process_header h = {
		.magic = SESSION_MAGIC, .pid = 7, .chunk_bytes = 16384, .chunk_count = 4};

	(void)state;
	assert_true(trusted_header(&h, 7, 16384, 4));
	assert_false(trusted_header(&h, 8, 16384, 4));
	assert_false(trusted_header(&h, 7, 32768, 4));
	assert_false(trusted_header(&h, 7, 16384, 3));
	h.magic++;
	assert_false(trusted_header(&h, 7, 16384, 4));
	h.refused = 24;
	assert_int_equal(trusted_errno(&h), 24);
	h.refused = -1;
	assert_int_equal(trusted_errno(&h), 0);
	assert_true(trusted_chunk(100, 0, 16384));
	assert_false(trusted_chunk(100, 100, 16384));
	assert_false(trusted_chunk(16384, 0, 16384));
}

static void sums_do_not_wrap(void **state)
{
	uint64_t sum = 5;

	(void)state;
	trusted_add(&sum, 7);
	assert_int_equal(sum, 12);
	trusted_add(&sum, UINT64_MAX);
	assert_int_equal(sum, INT64_MAX);
	trusted_add(&sum, 1);
	assert_int_equal(sum, INT64_MAX);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_measured_is_handed_on),
		cmocka_unit_test(a_trend_that_cannot_be_is_refused),
		cmocka_unit_test(a_trend_at_its_limits_does_no_harm),
		cmocka_unit_test(other_costs_that_cannot_be_are_refused),
		cmocka_unit_test(headers_are_compared),
		cmocka_unit_test(sums_do_not_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
