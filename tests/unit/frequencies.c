/* SPDX-License-Identifier: MIT */
/* Estimates from traces: hand-worked weights, a chain whose true frequencies are known, and traces
 * that are to be left alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "converter/samples/frequencies.h"

#define ENTRIES_MAX 200000
#define TRACES_MAX  10000

struct recorded {
	uint32_t entries[ENTRIES_MAX];
	size_t begins[TRACES_MAX];
	struct frequencies_traces traces;
};

static struct recorded recorded;

static void start(const struct frequencies_branch *branches, size_t count)
{
	recorded.traces = (struct frequencies_traces){.branches = branches,
						      .branch_count = count,
						      .entries = recorded.entries,
						      .begins = recorded.begins};
}

static void add_begin(void)
{
	assert_true(recorded.traces.trace_count < TRACES_MAX);
	recorded.begins[recorded.traces.trace_count++] = recorded.traces.entry_count;
}

static void add_entry(uint32_t branch)
{
	assert_true(recorded.traces.entry_count < ENTRIES_MAX);
	recorded.entries[recorded.traces.entry_count++] = branch;
}

/* ---- by hand -------------------------------------------------------------------------------- */

/* a at 10 jumps to 11, b at 20 to 21. 150 traces are a b, 50 are b b b. */
static void record_by_hand(size_t times)
{
	static const struct frequencies_branch branches[] = {{10, 11}, {20, 21}};

	start(branches, 2);
	for (size_t i = 0; i < 200 * times / 100; i++) {
		add_begin();
		add_entry(i % 4 == 3);
		add_entry(1);
		if (i % 4 == 3)
			add_entry(1);
	}
}

/*
 * Starts: a 3/4, b 1/4. All: a 150/450, b 300/450. Middles: all b.
 * Weights: a (200/3 + 3) / 153 = 0.455338, b (400/3 + 3) / 53 = 2.572327, mean 0.984585; divided
 * by it 0.462467 and 2.612600.
 * Counts: a 150 * 0.462467 = 69.3701; b the same and 150 * 2.612600, 461.2601; 450 in all.
 */
static void weights_by_hand(void **state)
{
	struct frequencies_result r = {0};
	double scale = 450 / (69.3701 + 461.2601);

	(void)state;
	record_by_hand(100);
	assert_int_equal(frequencies_estimate(&recorded.traces, FREQUENCIES_REWEIGHT, &r), 0);
	assert_true(r.estimated);
	assert_float_equal(r.starts, 1.0 / 3 + 1.0 / 4, 1e-6);
	assert_float_equal(r.middles, 2.0 / 3, 1e-6);
	assert_float_equal(r.branches[0], 69.3701 * scale, 0.01);
	assert_float_equal(r.branches[1], 461.2601 * scale, 0.01);
	assert_int_equal(r.ranges.count, 2);
	for (size_t i = 0; i < 2; i++) { /* a to b 150 times, b to b 100 times */
		const struct frequencies_range *range = &r.ranges.items[i];

		assert_int_equal(range->branch, 1);
		assert_float_equal(range->n, scale * (range->before ? 261.2600 : 69.3701), 0.01);
	}
	frequencies_deinit(&r);
}

/*
 * Every other trace: 100 a b; the rest: 50 a b, 50 b b b. Their overlap is 0.5 of b and 0.2 of a.
 * So the chain that changes d is believed by d^2 / (d^2 + 0.3^2), and a gets that part of d less.
 */
static void chance_is_not_believed(void **state)
{
	struct frequencies_result r = {0};
	double d;

	(void)state;
	record_by_hand(100);
	assert_int_equal(frequencies_estimate(&recorded.traces, FREQUENCIES_CHAIN, &r), 0);
	assert_true(r.shrinkage > 0 && r.shrinkage < 0.56);
	/* d is at most the third that a has */
	d = 0.3 * sqrt(r.shrinkage / (1 - r.shrinkage));
	assert_float_equal(r.branches[0], 450 * (1.0 / 3 - r.shrinkage * d), 0.01);
	assert_float_equal(r.branches[0] + r.branches[1], 450, 0.01);
	frequencies_deinit(&r);
}

static void too_few_are_left_alone(void **state)
{
	struct frequencies_result r = {0};

	(void)state;
	record_by_hand(49);
	assert_int_equal(frequencies_estimate(&recorded.traces, FREQUENCIES_CHAIN, &r), 0);
	assert_false(r.estimated);
	assert_null(r.branches);
}

static void raw_is_raw(void **state)
{
	struct frequencies_result r = {0};

	(void)state;
	record_by_hand(100);
	assert_int_equal(frequencies_estimate(&recorded.traces, FREQUENCIES_RAW, &r), 0);
	assert_false(r.estimated);
	assert_null(r.branches);
}

/* ---- a program whose frequencies are known --------------------------------------------------- */

/*
 * Two loops, each 8 branches long. After a round of the slow one the fast one follows with
 * probability 1/4, after a round of the fast one the slow one with 1/16: so of 5 rounds 1 is slow
 * (s / 4 = f / 16). A round of the slow one takes 50 times as long.
 */
#define LOOP 8
#define FAST LOOP /* its first branch */

static uint32_t random_next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static uint32_t branch_after(uint32_t branch, uint32_t *seed)
{
	if ((branch + 1) % LOOP)
		return branch + 1;
	if (branch < FAST)
		return random_next(seed) % 4 ? 0 : FAST;
	return random_next(seed) % 16 ? FAST : 0;
}

static void record_loops(size_t traces, bool by_time)
{
	static struct frequencies_branch branches[2 * LOOP];
	uint32_t seed = 1;

	for (uint32_t i = 0; i < 2 * LOOP; i++)
		branches[i] = (struct frequencies_branch){16 * i, 1000 + 16 * i};
	start(branches, 2 * LOOP);
	for (size_t i = 0; i < traces; i++) {
		/* of branches 1 in 5 is slow; of time 50 in 54, all of it before branch 0 */
		bool slow = by_time ? random_next(&seed) % 54 < 50 : random_next(&seed) % 5 == 0;
		uint32_t b = random_next(&seed) % LOOP + (slow ? 0 : FAST);

		add_begin();
		for (b = by_time && slow ? 0 : b; recorded.traces.entry_count < (i + 1) * 16;
		     b = branch_after(b, &seed))
			add_entry(b);
	}
}

static double slow_share(enum frequencies how)
{
	struct frequencies_result r = {0};
	double slow = 0, all = 0;

	assert_int_equal(frequencies_estimate(&recorded.traces, how, &r), 0);
	assert_true(r.estimated);
	for (size_t i = 0; i < 2 * LOOP; i++) {
		all += r.branches[i];
		slow += i < FAST ? r.branches[i] : 0;
	}
	assert_float_equal(all, recorded.traces.entry_count, 0.01);
	frequencies_deinit(&r);
	return slow / all;
}

static void chain_finds_the_loops(void **state)
{
	size_t raw = 0;

	(void)state;
	record_loops(8000, true);
	for (size_t i = 0; i < recorded.traces.entry_count; i++)
		raw += recorded.entries[i] < FAST;
	assert_true(raw > recorded.traces.entry_count * 6 / 10);
	assert_true(slow_share(FREQUENCIES_REWEIGHT) < 0.6);
	assert_float_equal(slow_share(FREQUENCIES_CHAIN), 0.2, 0.03);
}

static void unbiased_is_left_alone(void **state)
{
	struct frequencies_result r = {0};

	(void)state;
	record_loops(8000, false);
	assert_int_equal(frequencies_estimate(&recorded.traces, FREQUENCIES_CHAIN, &r), 0);
	assert_false(r.estimated);
	assert_true(r.starts > 0.97 && r.middles > 0.97);
}

static void same_bits_each_time(void **state)
{
	struct frequencies_result a = {0}, b = {0};

	(void)state;
	record_loops(2000, true);
	assert_int_equal(frequencies_estimate(&recorded.traces, FREQUENCIES_AUTO, &a), 0);
	assert_int_equal(frequencies_estimate(&recorded.traces, FREQUENCIES_CHAIN, &b), 0);
	assert_true(a.estimated && b.estimated);
	assert_memory_equal(a.branches, b.branches, 2 * LOOP * sizeof(double));
	frequencies_deinit(&a);
	frequencies_deinit(&b);
}

/* The rate of each trace is known: 1 where it starts in the slow loop, 50 in the fast one. */
static void rates_tell_the_loops(void **state)
{
	static uint64_t weights[TRACES_MAX];

	(void)state;
	record_loops(1000, true);
	for (size_t i = 0; i < recorded.traces.trace_count; i++)
		weights[i] = recorded.entries[recorded.begins[i]] < FAST ? 1 : 50;
	recorded.traces.weights = weights;
	assert_float_equal(slow_share(FREQUENCIES_REWEIGHT), 0.2, 0.05);
	assert_float_equal(slow_share(FREQUENCIES_CHAIN), 0.2, 0.05);
	assert_float_equal(slow_share(FREQUENCIES_AUTO), slow_share(FREQUENCIES_REWEIGHT), 1e-9);
	record_loops(30, true); /* few are better than none */
	recorded.traces.weights = weights;
	assert_true(slow_share(FREQUENCIES_AUTO) < 0.5);
	recorded.traces.weights = NULL;
}

/* ---- rates that are far too high ------------------------------------------------------------- */

static uint64_t rated[TRACES_MAX];

/* Eight times @branch and then, if they are others, @last once. */
static void add_rated(uint32_t branch, uint32_t last, uint64_t weight)
{
	rated[recorded.traces.trace_count] = weight;
	add_begin();
	for (unsigned i = 0; i < 8; i++)
		add_entry(branch);
	if (last != branch)
		add_entry(last);
	recorded.traces.weights = rated;
}

/* How much of all that is estimated is each of the branches. */
static void estimate_rated(double shares[3])
{
	struct frequencies_result r = {0};
	double sum = 0;

	assert_int_equal(frequencies_estimate(&recorded.traces, FREQUENCIES_AUTO, &r), 0);
	assert_true(r.rated);
	for (unsigned i = 0; i < 3; i++)
		sum += r.branches[i];
	for (unsigned i = 0; i < 3; i++)
		shares[i] = r.branches[i] / sum;
	frequencies_deinit(&r);
}

static const struct frequencies_branch three[] = {{10, 11}, {20, 21}, {30, 31}};

/* One of a hundred traces through a has a rate ten times the others', and the only c. */
static void a_rate_is_as_of_others_there(void **state)
{
	double shares[3];

	(void)state;
	start(three, 3);
	for (unsigned i = 0; i < 100; i++)
		add_rated(0, i == 50 ? 2 : 0, i == 50 ? 1000 : 100);
	estimate_rated(shares);
	assert_float_equal(shares[2], 200.0 / 9 / (99 * 100 + 200), 1e-6);
}

/* Two of two hundred traces are through b, and fast. */
static void fast_and_rare_is_no_outlier(void **state)
{
	double shares[3];

	(void)state;
	start(three, 3);
	for (unsigned i = 0; i < 200; i++)
		add_rated(i % 100 == 50, i % 100 == 50, i % 100 == 50 ? 5000 : 100);
	estimate_rated(shares);
	assert_float_equal(shares[1], 2 * 5000.0 / (2 * 5000 + 198 * 100), 0.01);
}

/* What a hostile recording may have. */
static void rates_are_bounded(void **state)
{
	double shares[3];

	(void)state;
	start(three, 3);
	for (unsigned i = 0; i < 100; i++)
		add_rated(i % 3, i % 3, i % 2 ? UINT64_MAX : 1);
	estimate_rated(shares);
	for (unsigned i = 0; i < 3; i++)
		assert_true(shares[i] >= 0 && shares[i] <= 1);
	recorded.traces.weights = NULL;
}

/* ---- parts of traces ------------------------------------------------------------------------- */

/* A trace of @count branches; it goes on with trace number @first. */
static void add_part(uint32_t branch, size_t count, size_t first, uint64_t weight)
{
	static size_t firsts[TRACES_MAX];
	static uint64_t weights[TRACES_MAX];

	add_begin();
	for (size_t i = 0; i < count; i++)
		add_entry(branch);
	firsts[recorded.traces.trace_count - 1] = first;
	weights[recorded.traces.trace_count - 1] = weight;
	recorded.traces.firsts = firsts;
	recorded.traces.weights = weights;
}

/* Of 40 traces, half are eight times a at 10, and half, which were cut short, twice b at 20. They
 * stand for as much each, so that of all 200 entries a gets 100 and b 100. */
static void check_short_traces(uint64_t weight_of_short, bool in_parts)
{
	static const struct frequencies_branch branches[] = {{10, 11}, {20, 21}};
	struct frequencies_result r = {0};

	start(branches, 2);
	for (size_t i = 0; i < 20; i++) {
		size_t begun = recorded.traces.trace_count;

		add_part(1, in_parts ? 1 : 2, begun, weight_of_short);
		add_part(0, 8, begun + 1, 7);
		if (in_parts)
			add_part(1, 1, begun, weight_of_short);
	}
	assert_int_equal(frequencies_estimate(&recorded.traces, FREQUENCIES_AUTO, &r), 0);
	assert_true(r.rated);
	assert_float_equal(r.branches[0], 100, 1e-9);
	assert_float_equal(r.branches[1], 100, 1e-9);
	frequencies_deinit(&r);
}

static void short_traces_stand_for_as_much(void **state)
{
	(void)state;
	check_short_traces(7, false);
	check_short_traces(0, false); /* the mean */
	check_short_traces(7, true);
	check_short_traces(0, true);
}

/* Traces of one branch each have no ends to be stitched. */
static void single_branches(void **state)
{
	static const struct frequencies_branch branches[] = {{10, 11}, {20, 21}, {30, 31}};
	struct frequencies_result r = {0};

	(void)state;
	start(branches, 3);
	for (size_t i = 0; i < 300; i++) {
		add_begin();
		add_entry((uint32_t)(i % 3));
	}
	assert_int_equal(frequencies_estimate(&recorded.traces, FREQUENCIES_CHAIN, &r), 0);
	assert_false(r.estimated); /* they are where the starts are */
	frequencies_deinit(&r);
}

static void fail_without_memory(enum frequencies how)
{
	size_t failed = 0;

	for (size_t n = 1;; n++, failed++) {
		struct frequencies_result r = {0};
		int rc;

		memory_fail_at(n);
		rc = frequencies_estimate(&recorded.traces, how, &r);
		memory_fail_at(0);
		if (!rc) {
			assert_true(r.estimated);
			frequencies_deinit(&r);
			break;
		}
		assert_int_equal(rc, -1);
		assert_null(r.branches);
	}
	assert_true(failed > 10);
}

static void without_memory(void **state)
{
	(void)state;
	record_by_hand(100);
	fail_without_memory(FREQUENCIES_CHAIN);
	start(three, 3);
	for (unsigned i = 0; i < 100; i++)
		add_rated(i % 3, i % 3, 1 + i % 3);
	fail_without_memory(FREQUENCIES_AUTO);
	recorded.traces.weights = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_by_hand),
		cmocka_unit_test(chance_is_not_believed),
		cmocka_unit_test(short_traces_stand_for_as_much),
		cmocka_unit_test(too_few_are_left_alone),
		cmocka_unit_test(raw_is_raw),
		cmocka_unit_test(chain_finds_the_loops),
		cmocka_unit_test(unbiased_is_left_alone),
		cmocka_unit_test(same_bits_each_time),
		cmocka_unit_test(rates_tell_the_loops),
		cmocka_unit_test(a_rate_is_as_of_others_there),
		cmocka_unit_test(fast_and_rare_is_no_outlier),
		cmocka_unit_test(rates_are_bounded),
		cmocka_unit_test(single_branches),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
