/* SPDX-License-Identifier: MIT */
/* converter/gcc/counters/reliability.c: which blocks may have run less often than their
 * instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>

#include "converter/gcc/counters/constraints.h"
#include "tests/unit/made_graph.h"

/* Block 2 goes to 3 or 4 by the condition at 10:5, both go to 5, and that to the exit; a call in 5
 * may not return. */
struct made {
	struct gcc_graph graph;
	struct notes_index keys;
	struct reliability reliability;
};

static void make_keys(struct made *m)
{
	struct gcc_function *f;

	*m = (struct made){0};
	made_graph_init(&m->graph);
	f = made_function(&m->graph, "f", "f.c", 6, true);
	made_arc(f, 0, 2, 0);
	made_arc(f, 2, 3, 0);
	made_arc(f, 2, 4, 0);
	made_arc(f, 3, 5, 0);
	made_arc(f, 4, 5, 0);
	made_arc(f, 5, 1, 0);
	made_arc(f, 3, 1, GCC_ARC_FAKE);
	made_condition(&m->graph, f, 2, "f.c", 10, 5);
	made_statement(&m->graph, f, 3, "f.c", 11, 3);
	made_statement(&m->graph, f, 4, "f.c", 12, 3);
	made_statement(&m->graph, f, 5, "f.c", 13, 3);
	made_index(&m->keys, &m->graph);
}

static int doubt(struct made *m, const struct attribution *all, size_t count)
{
	if (reliability_init(&m->reliability, m->keys.functions.items) ||
	    reliability_add(&m->reliability, all, all + count))
		return -1;
	reliability_sort(&m->reliability);
	return 0;
}

static void unmake(struct made *m)
{
	reliability_deinit(&m->reliability);
	notes_index_deinit(&m->keys);
	gcc_graph_deinit(&m->graph);
}

static struct attribution seen(const struct made *m, uint32_t line, uint32_t column, uint32_t block,
			       enum attribution_kind kind)
{
	return (struct attribution){.place = made_place(&m->keys, "f.c", line, column),
				    .block = block,
				    .kind = (uint8_t)kind,
				    .copies = 1,
				    .count = 100};
}

/* Both arms stand in one machine block. With a jump by the condition there, they are not selected.
 */
static void computed_and_selected(void **state)
{
	(void)state;
	for (int jumps = 0; jumps < 2; jumps++) {
		struct made m;
		struct attribution all[4];

		make_keys(&m);
		all[0] = seen(&m, 12, 3, 7, ATTRIBUTION_COMPUTE);
		all[1] = seen(&m, 10, 5, 7, jumps ? ATTRIBUTION_CONDITION : ATTRIBUTION_COMPUTE);
		all[2] = seen(&m, 11, 3, 7, ATTRIBUTION_STORE);
		all[3] = seen(&m, 11, 3, 8, ATTRIBUTION_COMPUTE); /* of another machine block */
		assert_int_equal(doubt(&m, all, 4), 0);
		assert_true(reliability_share(&m.reliability, &all[0], 4) == (jumps ? 1 : 0));
		/* stores are not made before it is known that they have to be */
		assert_true(reliability_share(&m.reliability, &all[2], 3) == 1);
		assert_true(reliability_share(&m.reliability, &all[3], 3) == 1);
		/* a block of several ways is no arm */
		assert_true(reliability_share(&m.reliability, &all[0], 5) == 1);
		unmake(&m);
	}
}

/* The block before stands in the same machine block, and nothing jumps by its condition: that is
 * tested together with another one. */
static void tested_together(void **state)
{
	(void)state;
	for (int jumps = 0; jumps < 2; jumps++) {
		struct made m;
		struct attribution all[3];

		make_keys(&m);
		made_statement(&m.graph, m.graph.functions.items, 2, "f.c", 9, 3);
		notes_index_deinit(&m.keys);
		m.keys = (struct notes_index){0};
		made_index(&m.keys, &m.graph);
		all[0] = seen(&m, 12, 3, 7, ATTRIBUTION_COMPUTE);
		all[1] = seen(&m, 9, 3, 7, ATTRIBUTION_COMPUTE);
		all[2] = seen(&m, 10, 5, 8, jumps ? ATTRIBUTION_CONDITION : ATTRIBUTION_COMPUTE);
		assert_int_equal(doubt(&m, all, 3), 0);
		assert_true(reliability_share(&m.reliability, &all[0], 4) == (jumps ? 1 : 0));
		unmake(&m);
	}
}

/* The condition is computed there in another instance. */
static void of_its_own_instance(void **state)
{
	struct made m;
	struct attribution all[2];

	(void)state;
	make_keys(&m);
	all[0] = seen(&m, 12, 3, 7, ATTRIBUTION_COMPUTE);
	all[1] = seen(&m, 10, 5, 7, ATTRIBUTION_COMPUTE);
	all[1].context = 3;
	assert_int_equal(doubt(&m, all, 2), 0);
	assert_true(reliability_share(&m.reliability, &all[0], 4) == 1);
	unmake(&m);
}

/* Machine code that is come to from several places says less of a block that is come to from one.
 */
static void merged_tails(void **state)
{
	struct made m;
	struct attribution all[1];

	(void)state;
	make_keys(&m);
	all[0] = seen(&m, 11, 3, 7, ATTRIBUTION_STORE);
	all[0].joined = true;
	assert_int_equal(doubt(&m, all, 1), 0);
	assert_true(reliability_share(&m.reliability, &all[0], 3) > 0);
	assert_true(reliability_share(&m.reliability, &all[0], 3) < 1);
	assert_true(reliability_share(&m.reliability, &all[0], 5) == 1);
	/* fake arcs lead nowhere: the exit is come to from one block */
	assert_true(reliability_share(&m.reliability, &all[0], 1) < 1);
	assert_true(reliability_share(&m.reliability, &all[0], 99) == 1);
	unmake(&m);
}

static void without_memory(void **state)
{
	struct made m;
	struct attribution all[1];

	(void)state;
	make_keys(&m);
	all[0] = seen(&m, 11, 3, 7, ATTRIBUTION_STORE);
	for (size_t i = 1; i <= 3; i++) {
		memory_fail_at(i);
		assert_int_equal(doubt(&m, all, 1), -1);
		memory_fail_at(0);
		reliability_deinit(&m.reliability);
	}
	assert_int_equal(doubt(&m, all, 1), 0);
	unmake(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computed_and_selected), cmocka_unit_test(tested_together),
		cmocka_unit_test(of_its_own_instance),	 cmocka_unit_test(merged_tails),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
