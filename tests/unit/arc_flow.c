/* SPDX-License-Identifier: MIT */
/* Counts of all arcs and blocks by those of the arcs that have a counter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "converter/gcc/files/arc_flow.h"

/*
 * A loop with two arms: 0 -> 2 -> 3; 3 -> 4, 3 -> 5; 4 -> 6, 5 -> 6; 6 -> 3, 6 -> 1. Counted are
 * 3 -> 4, 6 -> 3 and 6 -> 1.
 */
static struct gcc_arc arcs[] = {
	{0, 2, GCC_ARC_TREE}, {2, 3, GCC_ARC_TREE}, {3, 4, 0}, {3, 5, GCC_ARC_TREE},
	{4, 6, GCC_ARC_TREE}, {5, 6, GCC_ARC_TREE}, {6, 3, 0}, {6, 1, 0}};

static int solve(uint64_t arm, uint64_t back, uint64_t left, size_t count, struct arc_flow *flow)
{
	uint64_t counts[] = {arm, back, left, 0};
	struct gcc_function f = {.block_count = 7, .arcs = {arcs, sizeof(arcs) / sizeof(*arcs), 0}};
	struct counter_set set = {.kind = COUNTER_KIND_ARCS, .counts = {counts, count, 0}};

	return arc_flow_solve(&f, count ? &set : NULL, flow);
}

static void what_flows_in_flows_out(void **state)
{
	static const uint64_t blocks[] = {10, 10, 10, 100, 30, 70, 100};
	static const uint64_t flows[] = {10, 10, 30, 70, 30, 70, 90, 10};
	struct arc_flow flow;

	(void)state;
	assert_int_equal(solve(30, 90, 10, 3, &flow), 0);
	assert_false(flow.untrue);
	assert_int_equal(arc_flow_entries(&flow), 10);
	assert_memory_equal(flow.blocks.items, blocks, sizeof(blocks));
	assert_memory_equal(flow.arcs.items, flows, sizeof(flows));
	arc_flow_deinit(&flow);
}

static void less_than_nothing_is_untrue(void **state)
{
	struct arc_flow flow;

	(void)state;
	assert_int_equal(solve(101, 90, 10, 3, &flow), 0);
	assert_true(flow.untrue);
	assert_int_equal(flow.arcs.items[3], 0);
	arc_flow_deinit(&flow);
	assert_int_equal(solve(UINT64_MAX, UINT64_MAX, INT64_MAX, 3, &flow), 0);
	arc_flow_deinit(&flow);
}

static void other_numbers_of_counters_are_of_another_build(void **state)
{
	struct arc_flow flow;

	(void)state;
	assert_int_equal(solve(30, 90, 10, 2, &flow), 1);
	arc_flow_deinit(&flow);
	assert_int_equal(solve(30, 90, 10, 4, &flow), 1);
	arc_flow_deinit(&flow);
	/* none: the function never ran */
	assert_int_equal(solve(0, 0, 0, 0, &flow), 0);
	assert_int_equal(arc_flow_entries(&flow), 0);
	arc_flow_deinit(&flow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_flows_in_flows_out),
		cmocka_unit_test(less_than_nothing_is_untrue),
		cmocka_unit_test(other_numbers_of_counters_are_of_another_build),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
