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
static void make_graph(struct gcc_graph *graph)
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
	make_graph(&graph);
	made_index(&keys, &graph);
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

#define COPIES 3u

/* One body, a line of it in three blocks without discriminators, was inlined at three calls before
 * gcc counted: each call's instructions are one block's, in their order. */
static int collect_copies(const struct notes_index *keys, struct attributions *all,
			  struct constraints *v)
{
	struct constraints_source source = {.end = COPIES};

	return constraints_collect(keys, all, 0, &source, 1, v);
}

static void make_copies(struct gcc_graph *graph, struct notes_index *keys, struct attributions *all)
{
	make_graph(graph);
	for (uint32_t block = 2; block < 2 + COPIES; block++)
		made_statement(graph, &graph->functions.items[0], block, "f.c", 20, 5);
	made_index(keys, graph);
	assert_non_null(vector_push(&all->functions));
	memset(all->functions.items, 0, sizeof(*all->functions.items));
	for (uint32_t i = 0; i < COPIES; i++) {
		struct attribution *o = vector_push(&all->items);
		struct context_inner call = {.line = 100 + i};

		assert_non_null(o);
		*o = (struct attribution){.inner = contexts_add_inner(&all->contexts, &call),
					  .place = made_place(keys, "f.c", 20, 5),
					  .discriminator = ATTRIBUTION_NO_DISCRIMINATOR,
					  .kind = ATTRIBUTION_STORE,
					  .block = i,
					  .copies = 1,
					  .count = 1000 * (i + 1)};
		assert_int_not_equal(o->inner, 0);
	}
}

static void copies_are_blocks_in_order(void **state)
{
	struct gcc_graph graph = {0};
	struct notes_index keys = {0};
	struct attributions all = {0};
	struct constraints v = {0};
	uint32_t less, more;

	(void)state;
	make_copies(&graph, &keys, &all);
	assert_int_equal(collect_copies(&keys, &all, &v), 0);
	for (uint32_t i = 0; i < COPIES; i++) {
		find_wishes(&v, 2 + i, 1000 * (i + 1), &less, &more);
		assert_true(less && more);
	}
	constraints_deinit(&v);
	attributions_deinit(&all);
	notes_index_deinit(&keys);
	gcc_graph_deinit(&graph);
}

/* No memory for the order is not "there is no order": then the counters would be others. */
static void no_memory_is_no_other_answer(void **state)
{
	struct gcc_graph graph = {0};
	struct notes_index keys = {0};
	struct attributions all = {0};
	struct constraints v = {0};
	size_t needs;

	(void)state;
	make_copies(&graph, &keys, &all);
	memory_fail_at(0);
	assert_int_equal(collect_copies(&keys, &all, &v), 0);
	needs = memory_fail_at(0);
	constraints_deinit(&v);
	assert_true(needs > 1);
	for (size_t n = 1; n <= needs; n++) {
		v = (struct constraints){0};
		memory_fail_at(n);
		assert_int_not_equal(collect_copies(&keys, &all, &v), 0);
		memory_fail_at(0);
		constraints_deinit(&v);
	}
	attributions_deinit(&all);
	notes_index_deinit(&keys);
	gcc_graph_deinit(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selected_says_how_often_the_block_before_ran),
		cmocka_unit_test(a_block_of_several_ways_is_no_arm),
		cmocka_unit_test(computed_says_nothing_of_the_block_before),
		cmocka_unit_test(a_store_beside_a_conditional_jump_is_another_statement_s),
		cmocka_unit_test(copies_are_blocks_in_order),
		cmocka_unit_test(no_memory_is_no_other_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
