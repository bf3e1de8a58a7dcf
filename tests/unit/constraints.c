/* SPDX-License-Identifier: MIT */
/* converter/gcc/counters/constraints.h: what instructions that were computed on both ways of
 * a condition say of the block before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>

#include "converter/gcc/counters/constraints.h"
#include "tests/unit/made_graph.h"

#define RUNS	   700u
#define OTHER_RUNS 30u

/* Block 2 goes to 3 or 4, 3 to 4, that to the exit. */
static void make_keys(struct gcc_graph *graph, struct notes_index *keys)
{
	struct gcc_function *f;

	made_graph_init(graph);
	f = made_function(graph, "f", "f.c", 5, true);
	made_arc(f, 0, 2, 0);
	made_arc(f, 2, 3, 0);
	made_arc(f, 2, 4, 0);
	made_arc(f, 3, 4, 0);
	made_arc(f, 4, 1, 0);
	made_statement(graph, f, 3, "f.c", 11, 3);
	made_statement(graph, f, 4, "f.c", 13, 3);
	made_index(keys, graph);
}

/* The cost of a block's running less, and more, often than @at. */
static void find_wishes(const struct constraints *v, uint32_t block, uint64_t at, uint32_t *less,
			uint32_t *more)
{
	const struct circulation_demand *w;

	*less = *more = 0;
	vector_each (&v->demands, w)
		if (w->of == CIRCULATION_NODE + block && w->at == at) {
			*less += w->below;
			*more += w->above;
		}
}

/* At line @line there is one instruction in machine code that ran RUNS times, and another one, if
 * it is of a kind, that ran OTHER_RUNS times in another machine block. */
static void collect_two(uint32_t line, enum attribution_kind kind, int other, struct constraints *v)
{
	struct gcc_graph graph = {0};
	struct notes_index keys = {0};
	struct attributions all = {0};
	struct constraints_source source = {.end = other < 0 ? 1 : 2};

	assert_non_null(vector_push(&all.functions));
	make_keys(&graph, &keys);
	memset(all.functions.items, 0, sizeof(*all.functions.items));
	for (uint32_t i = 0; i < source.end; i++) {
		struct attribution *o = vector_push(&all.items);

		assert_non_null(o);
		*o = (struct attribution){.place = made_place(&keys, "f.c", line, 3),
					  .kind = (uint8_t)(i ? other : (int)kind),
					  .block = i,
					  .copies = 1,
					  .count = i ? OTHER_RUNS : RUNS};
	}
	assert_int_equal(constraints_collect(&keys, &all, 0, &source, 1, v), 0);
	attributions_deinit(&all);
	notes_index_deinit(&keys);
	gcc_graph_deinit(&graph);
}

static void collect(uint32_t line, enum attribution_kind kind, struct constraints *v)
{
	collect_two(line, kind, -1, v);
}

static void selected_says_how_often_the_block_before_ran(void **state)
{
	struct constraints v = {0};
	uint32_t less, more;

	(void)state;
	collect(11, ATTRIBUTION_SELECT, &v);
	find_wishes(&v, 3, RUNS, &less, &more);
	assert_true(!less && more); /* it may have run less often */
	find_wishes(&v, 2, RUNS, &less, &more);
	assert_true(less && !more); /* and this one no less often */
	constraints_deinit(&v);
}

static void a_block_of_several_ways_is_no_arm(void **state)
{
	struct constraints v = {0};
	uint32_t less, more;

	(void)state;
	collect(13, ATTRIBUTION_SELECT, &v);
	for (uint32_t block = 2; block < 4; block++) {
		find_wishes(&v, block, RUNS, &less, &more);
		assert_true(!less && !more);
	}
	constraints_deinit(&v);
}

static void computed_says_nothing_of_the_block_before(void **state)
{
	struct constraints v = {0};
	uint32_t less, more;

	(void)state;
	collect(11, ATTRIBUTION_COMPUTE, &v);
	find_wishes(&v, 3, RUNS, &less, &more);
	assert_true(less && more);
	find_wishes(&v, 2, RUNS, &less, &more);
	assert_true(!less && !more);
	constraints_deinit(&v);
}

/* A store says how often the statement ran; but not beside its conditional jump: that is no
 * store's. */
static void a_store_beside_a_conditional_jump_is_another_statement_s(void **state)
{
	struct constraints v = {0};
	uint32_t less, more;

	(void)state;
	collect_two(13, ATTRIBUTION_COMPUTE, ATTRIBUTION_STORE, &v);
	find_wishes(&v, 4, OTHER_RUNS, &less, &more);
	assert_true(less && more);
	constraints_deinit(&v);
	collect_two(13, ATTRIBUTION_CONDITION, ATTRIBUTION_STORE, &v);
	find_wishes(&v, 4, RUNS, &less, &more);
	assert_true(less && more);
	find_wishes(&v, 4, OTHER_RUNS, &less, &more);
	assert_true(!less && !more);
	constraints_deinit(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selected_says_how_often_the_block_before_ran),
		cmocka_unit_test(a_block_of_several_ways_is_no_arm),
		cmocka_unit_test(computed_says_nothing_of_the_block_before),
		cmocka_unit_test(a_store_beside_a_conditional_jump_is_another_statement_s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
