/* SPDX-License-Identifier: MIT */
/* What of a recording's end is new: of branches that are known beforehand. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "collector/recorder/convergence.h"
#include "formats/perfdata_write.h"

#define BRANCHES 100u

static struct convergence n;

/* A sample of the branches @first, @first + 1, ... of a module at @base. */
static void take(uint64_t time, uint64_t base, uint64_t first)
{
	struct {
		struct perfdata_sample_head head;
		struct perf_branch_entry stack[BRANCHES];
		uint64_t weight;
	} r = {.head = {.header = {PERF_RECORD_SAMPLE, 0, sizeof(r)},
			.time = time,
			.branch_count = BRANCHES}};

	for (uint64_t i = 0; i < BRANCHES; i++)
		r.stack[i] = (struct perf_branch_entry){.from = base + 16 * (first + i),
							.to = base + 16 * (first + i) - 8};
	convergence_add(&n, &r, sizeof(r));
}

static struct convergence_end measure(void)
{
	struct convergence_end end;

	convergence_measure(&n, &end);
	convergence_deinit(&n);
	memset(&n, 0, sizeof(n));
	return end;
}

static void close_to(double value, double expected)
{
	assert_true(value > expected * 0.9 && value < expected * 1.1);
}

static void nothing_new(void **state)
{
	struct convergence_end end;

	(void)state;
	for (uint64_t i = 1; i <= 1000; i++)
		take(i * 1000000, 0x400000, 0);
	end = measure();
	assert_int_equal(end.distinct, BRANCHES);
	assert_true(end.new_share == 0 && end.new_per_s == 0);
}

/* A new branch per sample, each ms: 1,000 a second, 1 % of what is recorded. */
static void new_all_the_time(void **state)
{
	struct convergence_end end;

	(void)state;
	for (uint64_t i = 1; i <= 100; i++)
		take(i * 1000000, 0x400000, i);
	end = measure();
	assert_int_equal(end.distinct, BRANCHES + 99);
	close_to(end.new_share, 0.01);
	close_to(end.new_per_s, 1000);
}

static void only_at_first(void **state)
{
	struct convergence_end end;

	(void)state;
	for (uint64_t i = 1; i <= 1000; i++)
		take(i * 1000000, 0x400000, i < 100 ? i : 100);
	end = measure();
	assert_int_equal(end.distinct, BRANCHES + 99);
	assert_true(end.new_share == 0);
}

/* Another process has the module at another address: the same branches. */
static void processes_are_alike(void **state)
{
	struct convergence_end end;

	(void)state;
	for (uint64_t i = 1; i <= 100; i++)
		take(i * 1000000, UINT64_C(0x7f0000000000) + i * 0x10000, 0);
	end = measure();
	assert_int_equal(end.distinct, BRANCHES);
	assert_true(end.new_share == 0);
}

/* ---- chance ---------------------------------------------------------------------------------- */

#define TRACES 10000u

/* A trace of one branch, of 100 that are equally frequent. */
static void take_one(uint64_t i, uint64_t weight)
{
	uint64_t branch = (i * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
	struct {
		struct perfdata_sample_head head;
		struct perf_branch_entry stack[1];
		uint64_t weight;
	} r = {.head = {.header = {PERF_RECORD_SAMPLE, 0, sizeof(r)},
			.time = 1000000 * (i + 1),
			.branch_count = 1},
	       .stack = {{.from = 16 * (branch % 100), .to = 16 * (branch % 100) + 8}},
	       .weight = weight};

	convergence_add(&n, &r, sizeof(r));
}

static void too_few_tell_nothing(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < CONVERGENCE_TRACES_LEAST; i++)
		take_one(i, 0);
	assert_true(isnan(measure().noise));
}

/*
 * K equally frequent branches in N traces of one each: a branch's shares of the halves differ by
 * 2 / sqrt(K N) times a normal deviate, whose mean is 0.8 without its sign. So the halves miss half
 * of K 0.8 2 / sqrt(K N), and the loss is half of that: 0.4 sqrt(K / N).
 */
static void chance_of_equal_traces(void **state)
{
	struct convergence_end end;

	(void)state;
	for (uint64_t i = 0; i < TRACES; i++)
		take_one(i, 0);
	end = measure();
	close_to(end.noise, 0.04);
	close_to(end.seconds, 10);
	close_to(convergence_seconds_to(end.seconds, 0.04, 0.02), 40);
}

/* At 4 % there is not enough, at 2.6 no longer none, at 1.6 there is; nor is there where nobody
 * asks. */
static void enough(void **state)
{
	const struct convergence_options o = {.thins = true}, off = {0};
	uint64_t i = 0;

	(void)state;
	assert_false(convergence_is_reached(&o, &n, true)); /* nothing is known */
	for (; i < TRACES; i++)
		take_one(i, 0);
	assert_false(convergence_is_reached(&o, &n, false));
	assert_false(convergence_is_reached(&o, &n, true));
	for (; i < TRACES * 23 / 10; i++)
		take_one(i, 0);
	assert_false(convergence_is_reached(&o, &n, false));
	assert_true(convergence_is_reached(&o, &n, true));
	for (; i < TRACES * 6; i++)
		take_one(i, 0);
	assert_true(convergence_is_reached(&o, &n, false));
	assert_false(convergence_is_reached(&off, &n, true));
	convergence_deinit(&n);
	n = (struct convergence){0};
}

/* Weights of 1 and 9 are as good as 10^2 / (2 (1 + 9^2)) = 0.61 times as many equal ones. */
static void weights_count(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < TRACES; i++)
		take_one(i, i % 2 ? 9 : 1);
	close_to(measure().noise, 0.0512);
}

/* Half of the traces have no rate: they are as heavy as the others, before and after. */
static void unknown_rates_count_as_the_mean(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < TRACES; i++)
		take_one(i, i < 100 || i % 2 ? 0 : 1000000);
	close_to(measure().noise, 0.04);
}

/* All records of a trace are in its half, and one trace. */
static void records_of_a_trace(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 1000; i++)
		take(1 + i / 10, 0x400000, i);
	assert_int_equal(n.halves.traces, 101);
	measure();
}

/* Not a sample, not whole, or empty: nothing is known, and nothing is read past the end. */
static void other_records(void **state)
{
	struct perfdata_sample_head cut = {.header = {PERF_RECORD_SAMPLE, 0, sizeof(cut)},
					   .branch_count = 1000};
	struct perf_event_header none = {PERF_RECORD_COMM, 0, 0};

	(void)state;
	convergence_add(&n, &cut, sizeof(cut));
	convergence_add(&n, &cut, 4);
	convergence_add(&n, &none, sizeof(none));
	assert_int_equal(measure().distinct, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_new),
		cmocka_unit_test(new_all_the_time),
		cmocka_unit_test(only_at_first),
		cmocka_unit_test(processes_are_alike),
		cmocka_unit_test(other_records),
		cmocka_unit_test(too_few_tell_nothing),
		cmocka_unit_test(chance_of_equal_traces),
		cmocka_unit_test(enough),
		cmocka_unit_test(weights_count),
		cmocka_unit_test(unknown_rates_count_as_the_mean),
		cmocka_unit_test(records_of_a_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
