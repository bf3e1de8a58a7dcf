/* SPDX-License-Identifier: MIT */
/* What a recording cost: sums worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "collector/recorder/account.h"

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) < 1e-9 * (1 + fabs(expected))))
		fail_msg("%.12g, not %.12g", value, expected);
}

static const struct account_rates rates = {
	.stop_us = 10,
	.events = {.switch_us = 2, .brief_us = 7, .thread_us = 50, .fork_us = 100, .exec_us = 500}};

/* 8 processes, 5 of them by fork, 2 more threads, and 3 that were brief. */
static struct recorder_result example(void)
{
	struct recorder_result r = {.cpu_ns = 2000000000,
				    .own_ns = 10000000,
				    .tick_ns = 0.5,
				    .switches = 5000,
				    .processes = 8};

	r.counters[COUNTER_SAMPLES] = 1000;
	r.counters[COUNTER_HITS] = 200;
	r.counters[COUNTER_THREADS] = 13;
	r.counters[COUNTER_THREADS_BRIEF] = 3;
	r.counters[COUNTER_FORKS] = 5;
	r.counters[COUNTER_HANDLER_NS] = 40000000;
	r.counters[COUNTER_CALL_TICKS] = 600000000;
	r.counters[COUNTER_START_NS] = 20000000;
	return r;
}

static void parts_of_the_program_are_its_processor_time(void **state)
{
	struct recorder_result r = example();
	struct account a;

	(void)state;
	account_make(&a, &r, &rates, false);
	assert_near(a.traces, 0.04);
	assert_near(a.stops, 1200 * 10e-6);
	assert_near(a.calls, 0.3);
	assert_near(a.starts, 0.02 + 5 * 100e-6 + 3 * 500e-6 + 2 * 50e-6 + 3 * 7e-6);
	assert_near(a.switches, 5000 * 2e-6);
	assert_near(a.recorder, 0.01);
	assert_near(a.program, 2 - (0.04 + 0.012 + 0.3 + 0.022121 + 0.01));
	assert_near(a.overhead, (0.04 + 0.012 + 0.3 + 0.022121 + 0.01 + 0.01) / a.program);
}

/* From outside, traces and stops take none of the program's own processor time. */
static void from_outside_it_stands_still(void **state)
{
	struct recorder_result r = example();
	struct account a;

	(void)state;
	r.counters[COUNTER_CALL_TICKS] = r.counters[COUNTER_START_NS] = 0;
	account_make(&a, &r, &rates, true);
	assert_near(a.starts, 0);
	assert_near(a.program, 2 - 0.01);
	assert_near(a.overhead, (0.04 + 0.012 + 0.01 + 0.01) / a.program);
}

static void more_than_there_was_has_no_share(void **state)
{
	struct recorder_result r = example();
	struct account a;

	(void)state;
	r.cpu_ns = 300000000;
	account_make(&a, &r, &rates, false);
	assert_true(isnan(a.overhead));
}

static void only_many_starts_or_switches_are_worth_measuring(void **state)
{
	struct recorder_result r = example();
	struct event_cost_wanted wanted;

	(void)state;
	assert_true(account_needs_events(&r, false, &wanted));
	assert_false(wanted.threads);
	assert_false(wanted.forks | wanted.execs);
	assert_int_equal(wanted.most_ns, r.cpu_ns / 100);
	r.switches = 100;
	assert_false(account_needs_events(&r, false, &wanted));
	r.counters[COUNTER_THREADS] = 20;
	r.counters[COUNTER_THREADS_BRIEF] = 11;
	assert_true(account_needs_events(&r, false, &wanted));
	assert_true(wanted.threads);
	assert_false(wanted.forks | wanted.execs);
	r.processes = 20;
	r.counters[COUNTER_FORKS] = 8;
	assert_true(account_needs_events(&r, false, &wanted));
	assert_true(wanted.forks & wanted.execs);
	r = (struct recorder_result){.cpu_ns = 1000000, .processes = 1}; /* the command itself */
	r.counters[COUNTER_THREADS] = 1;
	assert_false(account_needs_events(&r, false, &wanted));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_the_program_are_its_processor_time),
		cmocka_unit_test(from_outside_it_stands_still),
		cmocka_unit_test(more_than_there_was_has_no_share),
		cmocka_unit_test(only_many_starts_or_switches_are_worth_measuring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
