/* SPDX-License-Identifier: MIT */
/* converter/gcc/counters/contexts.h: equal chains of calls are one, and their order is the
 * source's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "converter/gcc/counters/contexts.h"

static uint32_t add(struct contexts *c, uint32_t parent, uint32_t name, uint32_t line,
		    uint32_t column)
{
	return contexts_add(c, &(struct context){.parent = parent,
						 .name = name,
						 .caller = 1,
						 .line = line,
						 .column = column});
}

static void equal_chains_are_one(void **state)
{
	struct contexts c = {0};
	uint32_t symbol = add(&c, CONTEXT_NONE, 7, 0, 0), call;

	(void)state;
	assert_int_equal(symbol, 0);
	call = add(&c, symbol, 7, 10, 3);
	assert_int_equal(call, 1);
	assert_int_equal(add(&c, symbol, 7, 10, 3), call);
	assert_int_equal(add(&c, CONTEXT_NONE, 7, 0, 0), symbol);
	assert_int_equal(add(&c, symbol, 7, 10, 4), 2);
	assert_int_equal(add(&c, symbol, 7, 11, 3), 3);
	assert_int_equal(add(&c, symbol, 8, 10, 3), 4);
	assert_int_equal(add(&c, call, 7, 10, 3), 5);
	assert_int_equal(c.items.count, 6);
	assert_true(context_is_symbol(&c, symbol));
	assert_false(context_is_symbol(&c, call));
	assert_int_equal(c.items.items[5].parent, call);
	contexts_deinit(&c);
}

static uint32_t inner(struct contexts *c, uint32_t outer, uint32_t line, uint32_t column)
{
	return contexts_add_inner(c, &(struct context_inner){outer, line, column});
}

/* What is inlined at a call comes behind the call itself, and before the next call. */
static void in_the_order_of_the_source(void **state)
{
	struct contexts c = {0};
	uint32_t last = inner(&c, 0, 9, 1), first = inner(&c, 0, 5, 2);
	uint32_t ordered[] = {0,
			      first,
			      inner(&c, first, 3, 1),
			      inner(&c, inner(&c, first, 3, 1), 2, 2),
			      inner(&c, first, 30, 1),
			      inner(&c, 0, 5, 8),
			      last,
			      inner(&c, last, 1, 1)};
	size_t count = sizeof(ordered) / sizeof(*ordered);

	(void)state;
	assert_int_equal(inner(&c, 0, 5, 2), first);
	assert_int_equal(c.inner.count, count - 1);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count; k++) {
			int order = contexts_compare_inner(&c, ordered[i], ordered[k]);

			assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
		}
	contexts_deinit(&c);
}

static void without_memory(void **state)
{
	(void)state;
	for (size_t i = 1; i <= 2; i++) {
		struct contexts c = {0};

		memory_fail_at(i);
		assert_int_equal(add(&c, CONTEXT_NONE, 7, 0, 0), CONTEXT_NONE);
		memory_fail_at(i);
		assert_int_equal(inner(&c, 0, 5, 2), 0);
		memory_fail_at(0);
		/* what was not made can be made then */
		assert_int_equal(add(&c, CONTEXT_NONE, 7, 0, 0), 0);
		assert_int_equal(inner(&c, 0, 5, 2), 1);
		contexts_deinit(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_chains_are_one),
		cmocka_unit_test(in_the_order_of_the_source),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
