/* SPDX-License-Identifier: MIT */
/* Orders of blocks: examples that were worked by hand, and the best of all orders of small graphs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "converter/layout/ext_tsp.h"

#define BLOCKS_MAX 8

static double score_of(const struct ext_tsp_graph *g, const uint32_t *order)
{
	uint64_t addresses[BLOCKS_MAX], at = 0;

	for (uint32_t i = 0; i < g->block_count; i++) {
		addresses[order[i]] = at;
		at += g->blocks[order[i]].bytes;
	}
	return ext_tsp_score(g, addresses);
}

static void assert_order(const struct ext_tsp_graph *g, const uint32_t *expected)
{
	uint32_t order[BLOCKS_MAX];

	assert_int_equal(ext_tsp_order(g, order), 0);
	assert_memory_equal(order, expected, g->block_count * sizeof(*order));
}

/*
 * if (x) A else B; C: the likely side falls through, and the other one is behind all. Both jumps of
 * B are short: 10 a tenth over 30 bytes forwards, from the entry's end to B, and over 30 backwards,
 * from B's end to C.
 */
static void test_branch(void **state)
{
	const struct ext_tsp_block blocks[] = {{10, 100}, {10, 10}, {20, 90}, {10, 100}};
	const struct ext_tsp_jump jumps[] = {{0, 1, 10}, {0, 2, 90}, {1, 3, 10}, {2, 3, 90}};
	const struct ext_tsp_graph g = {blocks, 4, jumps, 4};
	const uint32_t expected[] = {0, 2, 3, 1};

	(void)state;
	assert_order(&g, expected);
	assert_float_equal(score_of(&g, expected),
			   90 + 90 + 1 * (1 - 30. / 1024) + 1 * (1 - 20. / 640), 1e-9);
}

/*
 * while (C) B: the loop is entered at C, and left there by more than came from the entry. 0 B C E
 * has B->C and C->E behind each other, C->B backwards over 20 bytes and 0->C forwards over 10; with
 * 0 C B E, which has the latter two behind each other, C->E would be short, and 5 is more than 1.
 */
static void test_loop(void **state)
{
	enum { ENTRY, END, BODY, CONDITION };
	const struct ext_tsp_block blocks[] = {{10, 1}, {10, 1}, {10, 100}, {10, 101}};
	const struct ext_tsp_jump jumps[] = {{ENTRY, CONDITION, 1},
					     {BODY, CONDITION, 100},
					     {CONDITION, BODY, 100},
					     {CONDITION, END, 5}};
	const struct ext_tsp_graph g = {blocks, 4, jumps, 4};
	const uint32_t expected[] = {ENTRY, BODY, CONDITION, END};

	(void)state;
	assert_order(&g, expected);
	assert_float_equal(score_of(&g, expected),
			   105 + 0.1 * (1 - 10. / 1024) + 10 * (1 - 20. / 640), 1e-9);
}

/* 1 and 2 are merged first, behind the entry since that calls both; 3, which comes from 1 and goes
 * to 2, is worth more between them than behind them: 0 1 3 2. */
static void test_split(void **state)
{
	const struct ext_tsp_block blocks[] = {{4, 10}, {4, 100}, {4, 100}, {4, 90}};
	const struct ext_tsp_jump jumps[] = {{0, 1, 10}, {1, 2, 91}, {1, 3, 90}, {3, 2, 90}};
	const struct ext_tsp_graph g = {blocks, 4, jumps, 4};
	const uint32_t expected[] = {0, 1, 3, 2};

	(void)state;
	assert_order(&g, expected);
}

/* The entry stays first, whatever runs more; what has no jumps follows by how often a byte ran. */
static void test_entry(void **state)
{
	const struct ext_tsp_block blocks[] = {{10, 1}, {10, 5}, {10, 500}, {1000, 600}};
	const struct ext_tsp_jump jumps[] = {{2, 0, 500}};
	const struct ext_tsp_graph g = {blocks, 4, jumps, 1};
	const uint32_t expected[] = {0, 2, 3, 1};

	(void)state;
	assert_order(&g, expected);
}

static void test_one(void **state)
{
	const struct ext_tsp_block blocks[] = {{0, 0}};
	const struct ext_tsp_jump jumps[] = {{0, 0, 7}};
	const struct ext_tsp_graph g = {blocks, 1, jumps, 1};
	const uint32_t expected[] = {0};

	(void)state;
	assert_order(&g, expected);
}

/* ---- the best of all orders ------------------------------------------------------------------ */

static uint32_t next_random(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

struct random_graph {
	struct ext_tsp_block blocks[BLOCKS_MAX];
	struct ext_tsp_jump jumps[BLOCKS_MAX * BLOCKS_MAX];
};

static struct ext_tsp_graph make_random(struct random_graph *r, uint32_t seed)
{
	struct ext_tsp_graph g = {r->blocks, 2 + next_random(&seed, BLOCKS_MAX - 1), r->jumps, 0};

	for (uint32_t i = 0; i < g.block_count; i++)
		r->blocks[i] = (struct ext_tsp_block){4 + next_random(&seed, 300),
						      next_random(&seed, 1000)};
	for (uint32_t from = 0; from < g.block_count; from++)
		for (uint32_t to = 0; to < g.block_count; to++)
			if (next_random(&seed, g.block_count) < 2)
				r->jumps[g.jump_count++] = (struct ext_tsp_jump){
					from, to, 1 + next_random(&seed, 1000)};
	return g;
}

/* Of all orders of order[at..]. */
static double best_score(const struct ext_tsp_graph *g, uint32_t *order, uint32_t at)
{
	double best = 0;

	if (at == g->block_count)
		return score_of(g, order);
	for (uint32_t i = at; i < g->block_count; i++) {
		uint32_t here = order[at];
		double score;

		order[at] = order[i];
		order[i] = here;
		score = best_score(g, order, at + 1);
		best = score > best ? score : best;
		order[i] = order[at];
		order[at] = here;
	}
	return best;
}

/* Graphs at random are harder than functions, whose flow goes on from block to block. */
static void test_best(void **state)
{
	double worst = 1, sum = 0;
	uint32_t graphs = 300;

	(void)state;
	for (uint32_t seed = 1; seed <= graphs; seed++) {
		struct random_graph r;
		struct ext_tsp_graph g = make_random(&r, seed * 7919);
		uint32_t order[BLOCKS_MAX], all[BLOCKS_MAX] = {0, 1, 2, 3, 4, 5, 6, 7};
		bool seen[BLOCKS_MAX] = {0};
		double best = best_score(&g, all, 1), ratio;

		assert_int_equal(ext_tsp_order(&g, order), 0);
		assert_int_equal(order[0], 0);
		for (uint32_t i = 0; i < g.block_count; i++) {
			assert_in_range(order[i], 0, g.block_count - 1);
			assert_false(seen[order[i]]);
			seen[order[i]] = true;
		}
		ratio = best > 0 ? score_of(&g, order) / best : 1;
		worst = ratio < worst ? ratio : worst;
		sum += ratio;
	}
	print_message("of the best score: mean %.4f, worst %.4f\n", sum / graphs, worst);
	assert_true(sum / graphs > 0.99);
	assert_true(worst > 0.75);
}

/* Of very many blocks the order stays as it is. */
static void test_many(void **state)
{
	static struct ext_tsp_block blocks[EXT_TSP_BLOCKS_MAX + 1];
	static uint32_t order[EXT_TSP_BLOCKS_MAX + 1];
	const struct ext_tsp_jump last = {0, EXT_TSP_BLOCKS_MAX, 5};
	const struct ext_tsp_graph g = {blocks, EXT_TSP_BLOCKS_MAX + 1, &last, 1};

	(void)state;
	assert_int_equal(ext_tsp_order(&g, order), 0);
	for (uint32_t i = 0; i < g.block_count; i++)
		assert_int_equal(order[i], i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_branch), cmocka_unit_test(test_loop),
		cmocka_unit_test(test_split),  cmocka_unit_test(test_entry),
		cmocka_unit_test(test_one),    cmocka_unit_test(test_best),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
