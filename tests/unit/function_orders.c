/* SPDX-License-Identifier: MIT */
/* Orders of functions: an example that was worked by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "converter/layout/function_orders.h"

enum { MAIN, HOT, WARM, LEAF, LOOP, ERROR, LARGE, FUNCTIONS };

/*
 * Hottest first, each goes behind its greatest caller:
 *
 *	large	behind main? together they are larger than a large page: no
 *	loop	nobody calls it
 *	hot	behind main: main hot, 410 in 200 bytes
 *	warm	hot calls it more than main: main hot warm, 710 in 400
 *	main	nobody
 *	leaf	behind warm: main hot warm leaf, 715 in 450
 *	error	behind loop? 1000 in 10 bytes would become 1001 in 1010, a hundredth: no
 *
 * The densest cluster first: loop 100, large 2, main 1.6, error 0.
 */
static void make_graph(struct function_graph *g)
{
	const struct graph_function functions[FUNCTIONS] = {
		[MAIN] = {"main", 100, 10, 7},
		[HOT] = {"hot", 100, 400, 0},
		[WARM] = {"warm", 200, 300, 0},
		[LEAF] = {"leaf", 50, 5, 5},
		[LOOP] = {"loop", 10, 1000, 0},
		[ERROR] = {"error", 1000, 1, 9},
		[LARGE] = {"large", 2097152, 4194304, 0},
	};
	const struct graph_call calls[] = {{MAIN, HOT, 50, 0},	 {MAIN, WARM, 20, 0},
					   {MAIN, LARGE, 90, 0}, {HOT, WARM, 30, 0},
					   {WARM, LEAF, 5, 0},	 {LOOP, ERROR, 3, 0}};

	for (size_t i = 0; i < FUNCTIONS; i++)
		assert_int_equal(vector_add(&g->functions, functions[i]), 0);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		assert_int_equal(vector_add(&g->calls, calls[i]), 0);
}

static void test_calls(void **state)
{
	const uint32_t expected[FUNCTIONS] = {LOOP, LARGE, MAIN, HOT, WARM, LEAF, ERROR};
	struct function_graph g = {0};
	uint32_t order[FUNCTIONS];

	(void)state;
	make_graph(&g);
	assert_int_equal(function_orders_by_calls(&g, order), 0);
	assert_memory_equal(order, expected, sizeof(expected));
	function_graph_deinit(&g);
}

/*
 * Cache-directed, of functions of 64 bytes. So small a program misses by its distances alone, but
 * for the 0.06 misses of a function that ran once and is by itself:
 *
 *	hot, leaf	44 bytes apart: 100 / 44^0.25 = 38.8, the most: merged first
 *	main, hot	54 bytes apart with main first (36.9), 74 with hot first (34.1): main hot
 *leaf main, other	152 bytes apart behind leaf (0.285), 104 before main (0.313)
 *
 * What nobody calls is last: it is the least dense.
 */
static void test_cache_directed(void **state)
{
	const struct graph_function functions[] = {{"main", 64, 64, 0},
						   {"alone", 640, 64, 0},
						   {"hot", 64, 6400, 0},
						   {"leaf", 64, 6400, 0},
						   {"other", 64, 64, 0}};
	const struct graph_call calls[] = {{0, 2, 100, 10}, {0, 4, 1, 40}, {2, 3, 100, 20}};
	const uint32_t expected[] = {4, 0, 2, 3, 1};
	struct function_graph g = {0};
	uint32_t order[5];

	(void)state;
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(vector_add(&g.functions, functions[i]), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(vector_add(&g.calls, calls[i]), 0);
	assert_int_equal(cache_directed_order(&g, order), 0);
	assert_memory_equal(order, expected, sizeof(expected));
	function_graph_deinit(&g);
}

/* By time, and those without in the order of their calls. */
static void test_startup(void **state)
{
	const uint32_t expected[FUNCTIONS] = {LEAF, MAIN, ERROR, LOOP, LARGE, HOT, WARM};
	struct function_graph g = {0};
	uint32_t order[FUNCTIONS];

	(void)state;
	make_graph(&g);
	assert_int_equal(function_orders_by_start(&g, order), 0);
	assert_memory_equal(order, expected, sizeof(expected));
	function_graph_deinit(&g);
}

/* Two that call each other are in one cluster, once. */
static void test_recursion(void **state)
{
	const uint32_t expected[] = {1, 0};
	struct function_graph g = {0};
	uint32_t order[2];

	(void)state;
	assert_int_equal(vector_add(&g.functions, (struct graph_function){"even", 10, 90, 0}), 0);
	assert_int_equal(vector_add(&g.functions, (struct graph_function){"odd", 10, 80, 0}), 0);
	assert_int_equal(vector_add(&g.calls, (struct graph_call){0, 1, 5, 0}), 0);
	assert_int_equal(vector_add(&g.calls, (struct graph_call){1, 0, 5, 0}), 0);
	assert_int_equal(function_orders_by_calls(&g, order), 0);
	assert_memory_equal(order, expected, sizeof(expected));
	function_graph_deinit(&g);
}

/* Of very many functions the order is that of call-chain clustering. */
static void test_many(void **state)
{
	enum { COUNT = CACHE_DIRECTED_FUNCTIONS_MAX + 1 };
	static uint32_t order[COUNT], expected[COUNT];
	struct function_graph g = {0};

	(void)state;
	for (uint32_t i = 0; i < COUNT; i++)
		assert_int_equal(
			vector_add(&g.functions, (struct graph_function){"f", 10, 1 + i, 0}), 0);
	for (uint32_t i = 0; i + 1 < COUNT; i++)
		assert_int_equal(vector_add(&g.calls, (struct graph_call){i, i + 1, 1, 0}), 0);
	assert_int_equal(cache_directed_order(&g, order), 0);
	assert_int_equal(function_orders_by_calls(&g, expected), 0);
	assert_memory_equal(order, expected, sizeof(order));
	function_graph_deinit(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),	cmocka_unit_test(test_cache_directed),
		cmocka_unit_test(test_startup), cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
