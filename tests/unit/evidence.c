/* SPDX-License-Identifier: MIT */
/* What counts rest on: noise, spread and timed weight of traces by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "converter/samples/evidence.h"
#include "formats/perfdata_write.h"

#define TRACES 40u
#define LENGTH 10u

static uint32_t entries[TRACES * LENGTH];
static size_t begins[TRACES];
static uint64_t weights[TRACES];
static const struct frequencies_branch branches[] = {{10, 11}, {20, 21}, {30, 31}};
static const uint64_t places[] = {10, 20, EVIDENCE_ELSEWHERE};

/* Each trace is ten times the branch that @branch tells, timed if @timed says so. */
static struct evidence find(uint32_t (*branch)(size_t trace), bool (*timed)(size_t trace))
{
	const struct frequencies_traces traces = {
		.branches = branches,
		.branch_count = 3,
		.entries = entries,
		.entry_count = TRACES * LENGTH,
		.begins = begins,
		.trace_count = TRACES,
		.weights = weights,
	};
	const struct evidence_input in = {.traces = &traces, .places = places};
	struct evidence e = {.weighted = true};

	for (size_t i = 0; i < TRACES; i++) {
		begins[i] = i * LENGTH;
		weights[i] = perfdata_weight_mark(1000, timed(i));
		for (size_t k = 0; k < LENGTH; k++)
			entries[i * LENGTH + k] = branch(i);
	}
	assert_int_equal(evidence_find(&in, &e), 0);
	return e;
}

static void is_about(double value, double expected)
{
	assert_true(fabs(value - expected) < 1e-6);
}

static uint32_t first(size_t trace)
{
	(void)trace;
	return 0;
}

static uint32_t in_turn(size_t trace)
{
	return trace & 1;
}

static uint32_t half_elsewhere(size_t trace)
{
	return trace & 1 ? 2 : 0;
}

static bool always(size_t trace)
{
	(void)trace;
	return true;
}

static bool never(size_t trace)
{
	(void)trace;
	return false;
}

/* All of branch 0's, none of branch 1's. */
static bool even(size_t trace)
{
	return !(trace & 1);
}

/* Of either branch a half. */
static bool every_other_pair(size_t trace)
{
	return trace & 2;
}

static void traces_that_are_alike_have_no_noise_and_no_spread(void **state)
{
	struct evidence e = find(first, never);

	(void)state;
	assert_int_equal(e.traces, TRACES);
	is_about(e.noise, 0);
	is_about(e.spread, 0);
	is_about(e.spread_untimed, 0);
	is_about(e.untimed, 1);
	evidence_deinit(&e);
}

/* Each trace has one of two branches, which the whole has a half of each. */
static void traces_that_differ_are_spread(void **state)
{
	struct evidence e = find(in_turn, always);

	(void)state;
	is_about(e.spread, 0.5);
	is_about(e.spread_untimed, 0);
	is_about(e.timed, 1);
	/* halves of 20 traces, of which 10 +- 1.6 have the first branch */
	assert_true(e.noise > 0.01 && e.noise < 0.15);
	evidence_deinit(&e);
}

static void code_that_was_never_timed_is_told_from_code_of_which_a_part_was(void **state)
{
	struct evidence e = find(in_turn, even);

	(void)state;
	is_about(e.timed, 0.5);
	is_about(e.untimed, 0.5);
	is_about(e.spread_untimed, 0.25);
	evidence_deinit(&e);
	e = find(in_turn, every_other_pair);
	is_about(e.timed, 0.5);
	is_about(e.untimed, 0.0625);
	is_about(e.spread_untimed, 0.5 * 0.0625);
	evidence_deinit(&e);
}

static void only_what_is_in_the_binary_counts(void **state)
{
	struct evidence e = find(half_elsewhere, always);

	(void)state;
	assert_int_equal(e.traces, TRACES / 2);
	assert_int_equal(e.places.count, 1);
	is_about(e.weight, TRACES / 2 * LENGTH);
	evidence_deinit(&e);
}

/* 100 and 300 entries of stacks that say everything twice: 0.4 * 2 * sqrt(2 * 75) / 400. */
static void counts_have_the_noise_of_their_numbers(void **state)
{
	struct branch_profile p = {0};
	struct evidence e = {.traces = 0};

	(void)state;
	branch_profile_add_branch(&p, 10, 11, 100, 0);
	branch_profile_add_branch(&p, 20, 21, 300, 0);
	evidence_of_counts(&p, 50, 2, &e);
	assert_int_equal(e.traces, 50);
	is_about(e.noise, 0.4 * 2 * sqrt(150) / 400);
	branch_profile_deinit(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traces_that_are_alike_have_no_noise_and_no_spread),
		cmocka_unit_test(traces_that_differ_are_spread),
		cmocka_unit_test(code_that_was_never_timed_is_told_from_code_of_which_a_part_was),
		cmocka_unit_test(only_what_is_in_the_binary_counts),
		cmocka_unit_test(counts_have_the_noise_of_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
