/* SPDX-License-Identifier: MIT */
/* converter/gcc/counters/instance_arcs.c: graphs of a few blocks, and what is known of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>

#include "converter/gcc/counters/rounds.h"
#include "tests/unit/made_graph.h"

#define NODE  CIRCULATION_NODE
#define FAKE  GCC_ARC_FAKE
#define MOST  16
#define NEVER UINT64_MAX

/* Arcs of a test: from, to, flags; the list ends where both are 0. */
struct arc {
	uint32_t from, to, flags;
};

struct made {
	struct gcc_graph graph;
	struct notes_index keys;
	struct constraints constraints;
	uint64_t flows[MOST], blocks[MOST];
};

static void make(struct made *m, uint32_t blocks, const struct arc *arcs)
{
	struct gcc_function *f;

	*m = (struct made){0};
	made_graph_init(&m->graph);
	f = made_function(&m->graph, "f", "f.c", blocks, true);
	for (; arcs->from || arcs->to; arcs++)
		made_arc(f, arcs->from, arcs->to, arcs->flags);
}

static void guess(struct made *m, uint32_t from, uint32_t to, double probability)
{
	struct gcc_guess *g = vector_push(&m->graph.functions.items[0].guesses);

	assert_non_null(g);
	*g = (struct gcc_guess){.from = from,
				.to = to,
				.per_mille = (uint32_t)(probability * 1000),
				.count = (uint64_t)(probability * 1000)};
}

static int solve_guessed(struct made *m, bool own, uint64_t entries, uint64_t most)
{
	struct instance_arcs i = {.constraints = &m->constraints,
				  .own = own,
				  .has_entries = entries != NEVER,
				  .entries = entries,
				  .guess_most = most};
	int rc;

	if (!m->keys.functions.count)
		made_index(&m->keys, &m->graph);
	i.f = m->keys.functions.items;
	rc = instance_arcs_solve(&i, m->flows);
	if (!rc)
		instance_arcs_blocks(i.f->graph, m->flows, m->blocks);
	return rc;
}

/* @entries: NEVER = not known. */
static int solve(struct made *m, bool own, uint64_t entries)
{
	return solve_guessed(m, own, entries, 0);
}

/* What comes in goes out, but for the entry and the exit, which are one. */
static void check_conserved(const struct made *m)
{
	const struct gcc_function *f = m->graph.functions.items;

	for (uint32_t b = 2; b < f->block_count; b++) {
		uint64_t in = 0, out = 0;

		for (size_t i = 0; i < f->arcs.count; i++) {
			in += f->arcs.items[i].to == b ? m->flows[i] : 0;
			out += f->arcs.items[i].from == b ? m->flows[i] : 0;
		}
		assert_int_equal(in, out);
		assert_int_equal(m->blocks[b], out);
	}
	assert_int_equal(m->blocks[0], m->blocks[1]);
}

static void unmake(struct made *m)
{
	constraints_deinit(&m->constraints);
	notes_index_deinit(&m->keys);
	gcc_graph_deinit(&m->graph);
}

static void know(struct made *m, uint32_t of, uint64_t at, double below, double above)
{
	assert_int_equal(constraints_add(&m->constraints, of, at, below, above), 0);
}

static const struct arc diamond[] = {{0, 2, 0}, {2, 3, 0}, {2, 4, 0}, {3, 5, 0},
				     {4, 5, 0}, {5, 1, 0}, {0, 0, 0}};

static void what_is_known_of_one_arm(void **state)
{
	struct made m;

	(void)state;
	make(&m, 6, diamond);
	know(&m, NODE + 3, 7, 1, 1);
	assert_int_equal(solve(&m, true, 10), 0);
	check_conserved(&m);
	assert_int_equal(m.blocks[0], 10);
	assert_int_equal(m.blocks[3], 7);
	assert_int_equal(m.blocks[4], 3);
	unmake(&m);
}

/* Its own code is believed more than a statement; where it is inlined, the call less. */
static void entries_against_a_statement(void **state)
{
	(void)state;
	for (int own = 0; own < 2; own++) {
		struct made m;

		make(&m, 6, diamond);
		know(&m, NODE + 2, 100, 1.5, 1.5);
		assert_int_equal(solve(&m, own, 10), 0);
		check_conserved(&m);
		assert_int_equal(m.blocks[2], own ? 10 : 100);
		unmake(&m);
	}
}

static void guesses_decide_what_nothing_else_does(void **state)
{
	(void)state;
	for (int known = 0; known < 2; known++) {
		struct made m;

		make(&m, 6, diamond);
		guess(&m, 2, 3, 0.25);
		guess(&m, 2, 4, 0.75);
		if (known)
			know(&m, NODE + 3, 90, 0.3, 0.3);
		assert_int_equal(solve(&m, true, 100), 0);
		check_conserved(&m);
		assert_int_equal(m.blocks[3], known ? 90 : 25);
		assert_int_equal(m.blocks[4], known ? 10 : 75);
		unmake(&m);
	}
}

/* gcc has no idea of a condition: it seldom holds. But each way of a switch is as it guesses. */
static void conditions_seldom_hold(void **state)
{
	static const enum gcc_edge edges[][2] = {{GCC_EDGE_TRUE, GCC_EDGE_FALSE},
						 {GCC_EDGE_FALSE, GCC_EDGE_TRUE},
						 {GCC_EDGE_ALWAYS, GCC_EDGE_ALWAYS}};
	static const uint64_t counts[] = {20, 80, 50};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct made m;

		make(&m, 6, diamond);
		for (size_t way = 0; way < 2; way++) {
			guess(&m, 2, 3 + (uint32_t)way, 0.5);
			m.graph.functions.items[0].guesses.items[way].edge = edges[i][way];
		}
		assert_int_equal(solve(&m, true, 100), 0);
		check_conserved(&m);
		assert_int_equal(m.blocks[3], counts[i]);
		assert_int_equal(m.blocks[4], 100 - counts[i]);
		unmake(&m);
	}
}

/* Entry, a loop that 3 ends and 4 is the body of, exit. */
static const struct arc counted[] = {{0, 2, 0}, {2, 3, 0}, {3, 4, 0}, {4, 3, 0},
				     {3, 5, 0}, {5, 1, 0}, {0, 0, 0}};

static void always_goes_on(struct made *m, uint32_t times)
{
	struct gcc_loop *l = vector_push(&m->graph.functions.items[0].loops);

	assert_non_null(l);
	*l = (struct gcc_loop){.from = 3, .to = 4, .exit = 5, .times = times};
}

/* The loop's code is one vector instruction. */
static void loops_go_on_as_often_as_they_always_do(void **state)
{
	(void)state;
	for (int known = 0; known < 2; known++) {
		struct made m;

		make(&m, 6, counted);
		if (known)
			always_goes_on(&m, 4);
		know(&m, NODE + 4, 10, 1.5, 1.5);
		assert_int_equal(solve(&m, true, 10), 0);
		check_conserved(&m);
		assert_int_equal(m.blocks[4], known ? 40 : 10);
		assert_int_equal(m.blocks[3], known ? 50 : 20);
		unmake(&m);
	}
}

/* But what is guessed is not more than it may be. */
static void loops_that_are_guessed_are_bounded(void **state)
{
	struct made m;

	(void)state;
	make(&m, 6, counted);
	always_goes_on(&m, 1000);
	guess(&m, 2, 3, 1);
	guess(&m, 3, 4, 0.999);
	guess(&m, 3, 5, 0.001);
	guess(&m, 4, 3, 0.999);
	guess(&m, 5, 1, 0.001);
	assert_int_equal(solve_guessed(&m, true, 2, 40), 0);
	check_conserved(&m);
	assert_in_range(m.blocks[4], 0, 40);
	unmake(&m);
}

/* Entry, a loop of three blocks that are known together only, exit. */
static const struct arc loop[] = {{0, 2, 0}, {2, 4, 0}, {3, 4, 0}, {4, 3, 0},
				  {4, 5, 0}, {5, 1, 0}, {0, 0, 0}};

static void know_together(struct made *m, uint64_t least)
{
	struct constraint_sum *sum = vector_push(&m->constraints.sums);

	assert_non_null(sum);
	*sum = (struct constraint_sum){.count = 2, .least = least, .below = CONSTRAINT_ONE};
	for (uint32_t b = 3; b <= 4; b++) {
		uint32_t *slot = vector_push(&m->constraints.blocks);

		assert_non_null(slot);
		*slot = b;
	}
}

/* They keep it to the last solution. */
static void known_together(void **state)
{
	struct made m;

	(void)state;
	make(&m, 6, loop);
	know_together(&m, 1000);
	assert_int_equal(solve(&m, true, 1), 0);
	check_conserved(&m);
	assert_int_equal(m.blocks[0], 1);
	assert_true(m.blocks[3] + m.blocks[4] >= 998); /* shares are whole numbers */
	assert_true(m.blocks[3] + m.blocks[4] <= 1002);
	unmake(&m);
}

/* Where more is known of the blocks, the sum asks for nothing else. */
static void known_together_and_singly(void **state)
{
	struct made m;

	(void)state;
	make(&m, 6, loop);
	know_together(&m, 1000);
	know(&m, NODE + 3, 700, 1, 1);
	assert_int_equal(solve(&m, true, 1), 0);
	check_conserved(&m);
	assert_int_equal(m.blocks[3], 700);
	assert_int_equal(m.blocks[4], 701);
	unmake(&m);
}

/* A call that may not return: it does, unless it is the block's only way out. */
static void calls_that_do_not_return(void **state)
{
	const struct arc returns[] = {{0, 2, 0}, {2, 3, 0}, {2, 1, FAKE}, {3, 1, 0}, {0, 0, 0}};
	const struct arc ends[] = {{0, 2, 0},	 {2, 3, 0}, {2, 4, 0},
				   {3, 1, FAKE}, {4, 1, 0}, {0, 0, 0}};
	struct made m;

	(void)state;
	make(&m, 4, returns);
	know(&m, NODE + 3, 9, 1, 1);
	assert_int_equal(solve(&m, true, 10), 0);
	check_conserved(&m);
	assert_int_equal(m.flows[2], 0);
	assert_int_equal(m.blocks[3], 10);
	unmake(&m);
	make(&m, 5, ends);
	know(&m, NODE + 3, 4, 3, 3);
	assert_int_equal(solve(&m, true, 10), 0);
	check_conserved(&m);
	assert_int_equal(m.flows[3], 4);
	assert_int_equal(m.blocks[4], 6);
	unmake(&m);
}

/* entry, `goto *` in block 2, labels 3 and 4 that come back to it, 5 leaves: gcc has fake arcs from
 * the entry to each label, and from the `goto *` to the exit. */
static void computed_goto(void **state)
{
	const struct arc arcs[] = {{0, 2, 0},	 {0, 3, FAKE}, {0, 4, FAKE},
				   {0, 5, FAKE}, {2, 1, FAKE}, {3, 2, 0},
				   {4, 2, 0},	 {5, 1, 0},    {0, 0, 0}};
	struct made m;

	(void)state;
	make(&m, 6, arcs);
	m.graph.functions.items[0].blocks.items[2].computed_goto = true;
	know(&m, NODE + 3, 500, 1, 1);
	know(&m, NODE + 4, 300, 1, 1);
	know(&m, NODE + 5, 2, 1, 1);
	assert_int_equal(solve(&m, true, 2), 0);
	check_conserved(&m);
	assert_int_equal(m.blocks[3], 500);
	assert_int_equal(m.blocks[4], 300);
	assert_int_equal(m.blocks[2], 802);
	assert_int_equal(m.flows[0], 2);
	assert_int_equal(m.flows[4], 802);
	unmake(&m);
}

/* Of a loop of one block nothing is known but that the function ran. */
static void block_that_follows_itself(void **state)
{
	const struct arc arcs[] = {{0, 2, 0}, {2, 2, 0}, {2, 1, 0}, {0, 0, 0}};
	struct made m;

	(void)state;
	make(&m, 3, arcs);
	guess(&m, 2, 2, 0.9);
	guess(&m, 2, 1, 0.1);
	assert_int_equal(solve(&m, false, 5), 0);
	check_conserved(&m);
	assert_int_equal(m.flows[0], 5);
	unmake(&m);
}

/* Neither the entry nor anything else is known; or there are no blocks, as no gcc writes. */
static void nothing(void **state)
{
	const struct arc none[] = {{0, 0, 0}};

	(void)state;
	for (uint32_t blocks = 0; blocks <= 6; blocks += 2) {
		struct made m;

		make(&m, blocks, blocks == 6 ? diamond : none);
		assert_int_equal(solve(&m, true, blocks == 6 ? NEVER : 3), blocks < 2 ? 1 : 0);
		for (size_t i = 0; i < MOST; i++)
			assert_int_equal(m.flows[i], 0);
		unmake(&m);
	}
}

static void large_counts(void **state)
{
	struct made m;

	(void)state;
	make(&m, 6, diamond);
	know(&m, NODE + 3, UINT64_C(1) << 59, 1, 1);
	know(&m, NODE + 4, UINT64_MAX, 1, 1);
	assert_int_equal(solve(&m, false, NEVER), 0);
	check_conserved(&m);
	assert_true(m.blocks[3] == UINT64_C(1) << 59);
	assert_true(m.blocks[4] == CIRCULATION_LIMIT);
	unmake(&m);
}

/* Nothing is known but how often it was entered: gcc's guess of the loop, or what it is at most. */
static void loop_as_guessed(void **state)
{
	static const struct gcc_guess guesses[] = {{2, 4, 1000, GCC_EDGE_ALWAYS, 1000},
						   {3, 4, 1000, GCC_EDGE_ALWAYS, 9000},
						   {4, 3, 900, GCC_EDGE_TRUE, 9000},
						   {4, 5, 100, GCC_EDGE_FALSE, 1000},
						   {5, 1, 1000, GCC_EDGE_ALWAYS, 1000}};

	(void)state;
	for (uint64_t most = 40; most < 500; most += 400) {
		struct made m;

		make(&m, 6, loop);
		for (size_t i = 0; i < sizeof(guesses) / sizeof(guesses[0]); i++) {
			struct gcc_guess *g = vector_push(&m.graph.functions.items[0].guesses);

			assert_non_null(g);
			*g = guesses[i];
		}
		assert_int_equal(solve_guessed(&m, true, 10, most), 0);
		check_conserved(&m);
		assert_int_equal(m.blocks[0], 10);
		assert_int_equal(m.blocks[3], most < 90 ? most : 90);
		unmake(&m);
	}
}

static void without_memory(void **state)
{
	struct made m;
	size_t needs;

	(void)state;
	make(&m, 6, loop);
	guess(&m, 4, 3, 0.9);
	know_together(&m, 1000);
	made_index(&m.keys, &m.graph);
	memory_fail_at(0);
	assert_int_equal(solve(&m, true, 1), 0);
	needs = memory_fail_at(0);
	for (size_t i = 1; i <= needs; i++) {
		memory_fail_at(i);
		assert_int_equal(solve(&m, true, 1), -1);
		memory_fail_at(0);
	}
	unmake(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_known_of_one_arm),
		cmocka_unit_test(entries_against_a_statement),
		cmocka_unit_test(guesses_decide_what_nothing_else_does),
		cmocka_unit_test(conditions_seldom_hold),
		cmocka_unit_test(loops_go_on_as_often_as_they_always_do),
		cmocka_unit_test(loops_that_are_guessed_are_bounded),
		cmocka_unit_test(known_together),
		cmocka_unit_test(known_together_and_singly),
		cmocka_unit_test(calls_that_do_not_return),
		cmocka_unit_test(computed_goto),
		cmocka_unit_test(block_that_follows_itself),
		cmocka_unit_test(nothing),
		cmocka_unit_test(large_counts),
		cmocka_unit_test(loop_as_guessed),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
