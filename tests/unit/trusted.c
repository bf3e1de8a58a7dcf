/* SPDX-License-Identifier: MIT */
/* What the other side of a session wrote is taken over only if it can be true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "collector/shared/trusted.h"

static const struct rate_machine machine = {.near_ticks = 30,
					    .farther_ticks = 60,
					    .slow_ticks = 200,
					    .line_ps = 50000,
					    .tick_1024_ps = 400000};
static const struct rate_work path = {.branches = 2048, .instructions = 20000};

static const struct session_costs honest = {
	.stops = {.count = 5,
		  .fit = {.count = 3, .pairs = {3 * 1024}, .times = {6 * 1024}},
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
	/* 125 ps of a branch, and of an instruction (6 + 2.25) / (3 + 2.25) times as much */
	assert_in_range(untimed_ps(&to), 2048 * 125 + 20000 * 196, 2048 * 125 + 20000 * 197);
	/* and of one whose paths interrupts alone have timed */
	alone.stops.count = 0;
	to = next(&alone);
	assert_memory_equal(&to, &alone, sizeof(to));
}

/* Sums that no measurements have: nothing of them comes to the next process. */
static void a_fit_that_cannot_be_is_refused(void **state)
{
	static const struct rate_fit fits[] = {
		{.count = 0, .pairs = {1}},
		{.count = 0, .times = {1}},
		{.count = 3, .pairs = {-1}},
		{.count = 3, .pairs = {[RATE_FIT_PAIRS - 1] = INT64_MIN}},
		{.count = 3, .times = {[RATE_FIT_TERMS - 1] = -1}},
		{.count = 3, .pairs = {3 * 64 * 64 * 1024 + 1}},
		{.count = 3, .times = {INT64_MAX}},
		{.count = UINT32_MAX},
	};
	const uint64_t usual = (20000 + 2048) * 125;

	(void)state;
	for (size_t i = 0; i < sizeof(fits) / sizeof(fits[0]); i++) {
		struct session_costs hostile = honest, to;

		hostile.stops.fit = fits[i];
		to = next(&hostile);
		assert_int_equal(to.stops.fit.count, 0);
		assert_int_equal(untimed_ps(&to), usual);
		assert_int_equal(to.lag, honest.lag);
	}
}

/* Whatever the sums that are let through, a time stays within what its path can take. */
static void a_fit_at_its_limits_does_no_harm(void **state)
{
	const int64_t most = (INT64_C(1) << 30) * 64 * 64 * 1024;

	(void)state;
	for (unsigned which = 0; which < 16; which++) {
		struct session_costs costs = honest, to;
		struct rate_fit *f = &costs.stops.fit;

		*f = (struct rate_fit){.count = 1u << 30};
		for (unsigned i = 0; i < RATE_FIT_PAIRS; i++)
			f->pairs[i] = which & (1u << i % 3) ? most : 0;
		for (unsigned i = 0; i < RATE_FIT_TERMS; i++)
			f->times[i] = which & 8u ? most : 0;
		to = next(&costs);
		assert_int_equal(to.stops.fit.count, 1u << 30);
		assert_in_range(untimed_ps(&to), 20000 * 40, 64 * (20000 + 2048) * 125);
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
		cmocka_unit_test(a_fit_that_cannot_be_is_refused),
		cmocka_unit_test(a_fit_at_its_limits_does_no_harm),
		cmocka_unit_test(other_costs_that_cannot_be_are_refused),
		cmocka_unit_test(headers_are_compared),
		cmocka_unit_test(sums_do_not_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
