/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "converter/cfg/blocks.h"
#include "report/views/loop_trips.h"

/* ---- natural loops ------------------------------------------------------------------------- */

/* Blocks without code; the first is the entry. @edges ascend. */
static void make_blocks(struct blocks *b, size_t count, const uint32_t (*edges)[2],
			size_t edge_count)
{
	*b = (struct blocks){0};
	for (size_t i = 0; i < count; i++) {
		struct block *block = vector_push(&b->items);

		assert_non_null(block);
		*block = (struct block){.begin = 16 * i, .entry = !i};
	}
	for (size_t i = 0; i < edge_count; i++) {
		struct block_edge *e = vector_push(&b->edges);

		assert_non_null(e);
		*e = (struct block_edge){.from = edges[i][0], .to = edges[i][1]};
	}
}

static void free_blocks(struct blocks *b)
{
	vector_deinit(&b->items);
	vector_deinit(&b->edges);
}

/* Two loops in one: 0 -> 1; 1..5 is the outer one, 2 turns alone, 3 and 4 by two jumps back. */
static void nested(void **state)
{
	static const uint32_t edges[][2] = {{0, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 3},
					    {3, 4}, {4, 3}, {4, 5}, {5, 1}, {5, 6}};
	struct loops loops = {0};
	struct blocks b;

	(void)state;
	make_blocks(&b, 7, edges, 10);
	assert_int_equal(loops_find(&loops, &b), 0);
	assert_int_equal(loops.items.count, 3);
	assert_int_equal(loops.items.items[0].head, 1);
	assert_int_equal(loops.items.items[0].blocks, 5);
	assert_int_equal(loops.items.items[0].parent, LOOPS_NONE);
	assert_int_equal(loops.items.items[1].head, 3);
	assert_int_equal(loops.items.items[1].blocks, 2);
	assert_int_equal(loops.items.items[2].head, 2);
	assert_int_equal(loops.items.items[2].parent, 0);
	assert_int_equal(loops.items.items[2].depth, 2);
	assert_int_equal(loops.of_block[0], LOOPS_NONE);
	assert_int_equal(loops.of_block[4], 1);
	assert_int_equal(loops.of_block[5], 0);
	assert_int_equal(loops.of_block[6], LOOPS_NONE);
	assert_true(loops_contain(&loops, 0, 4));
	assert_false(loops_contain(&loops, 2, 4));
	loops_deinit(&loops);
	free_blocks(&b);
}

/* A cycle that is entered at two blocks has no head: neither lies on all ways. */
static void irreducible(void **state)
{
	static const uint32_t edges[][2] = {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3}};
	struct loops loops = {0};
	struct blocks b;

	(void)state;
	make_blocks(&b, 4, edges, 5);
	assert_int_equal(loops_find(&loops, &b), 0);
	assert_int_equal(loops.items.count, 0);
	loops_deinit(&loops);
	free_blocks(&b);
}

/* Code that no edge leads to is left alone, and a function without blocks has no loop. */
static void odd(void **state)
{
	static const uint32_t edges[][2] = {{1, 2}, {2, 1}};
	struct loops loops = {0};
	struct blocks b;

	(void)state;
	make_blocks(&b, 3, edges, 2);
	assert_int_equal(loops_find(&loops, &b), 0);
	assert_int_equal(loops.items.count, 1);
	assert_int_equal(loops.items.items[0].blocks, 2);
	loops_deinit(&loops);
	free_blocks(&b);
	make_blocks(&b, 0, NULL, 0);
	assert_int_equal(loops_find(&loops, &b), 0);
	assert_int_equal(loops.items.count, 0);
	loops_deinit(&loops);
	free_blocks(&b);
}

/* ---- turns --------------------------------------------------------------------------------- */

static void add(struct map *turns, uint64_t value, uint64_t ended, uint64_t cut)
{
	struct map_entry *e = map_at(turns, value, 0);

	assert_non_null(e);
	e->n += ended;
	e->m += cut;
}

static void all_ended(void **state)
{
	struct loop_summary s;
	struct map turns = {0};

	(void)state;
	add(&turns, 3, 6, 0);
	add(&turns, 8, 3, 0);
	add(&turns, 20, 1, 0);
	assert_int_equal(loop_trips_summarize(&turns, &s), 0);
	assert_int_equal(s.entries, 10);
	assert_int_equal(s.cut, 0);
	assert_int_equal(s.most, 20);
	assert_true(s.has_median && s.has_p90 && s.has_mean);
	assert_int_equal(s.median, 3);
	assert_int_equal(s.p90, 8);
	assert_float_equal(s.mean, (3 * 6 + 8 * 3 + 20) / 10.0, 1e-9);
	map_deinit(&turns);
}

/*
 * The example of Kaplan and Meier (1958), section 2: losses are cut off. P(t) is 0.875 behind 0.8,
 * 0.7 behind 3.1, 0.525 behind 5.4 and 0.2625 behind 9.2, as they print it; times are tenths here.
 */
static void some_cut(void **state)
{
	struct loop_summary s;
	struct map turns = {0};

	(void)state;
	add(&turns, 8, 1, 0);
	add(&turns, 10, 0, 1);
	add(&turns, 27, 0, 1);
	add(&turns, 31, 1, 0);
	add(&turns, 54, 1, 0);
	add(&turns, 70, 0, 1);
	add(&turns, 92, 1, 0);
	add(&turns, 121, 0, 1);
	assert_int_equal(loop_trips_summarize(&turns, &s), 0);
	assert_int_equal(s.entries, 8);
	assert_int_equal(s.cut, 4);
	assert_true(s.has_median);
	assert_int_equal(s.median, 92); /* of the ended ones alone it would be 31 */
	assert_false(s.has_p90 || s.has_mean);
	map_deinit(&turns);
}

static void nothing_seen(void **state)
{
	struct loop_summary s;
	struct map turns = {0};

	(void)state;
	assert_int_equal(loop_trips_summarize(&turns, &s), 0);
	assert_int_equal(s.entries, 0);
	assert_false(s.has_median || s.has_p90 || s.has_mean);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested),   cmocka_unit_test(irreducible),
		cmocka_unit_test(odd),	    cmocka_unit_test(all_ended),
		cmocka_unit_test(some_cut), cmocka_unit_test(nothing_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
