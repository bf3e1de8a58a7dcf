/* SPDX-License-Identifier: MIT */
/*
 * mcf/circulation.c: tiny networks against every possible flow; larger ones by what makes a flow
 * the cheapest, that nothing is saved by one unit more or less around any cycle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>

#include "base/memory.h"
#include "mcf/flow.h"

#define NODE CIRCULATION_NODE

static uint64_t seed;

static uint32_t below(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % n;
}

/* ---- what a flow costs --------------------------------------------------------------------- */

static __int128 cost_of(const struct circulation *c, uint32_t of, uint64_t flow)
{
	const struct circulation_demand *w;
	__int128 sum = of < NODE ? (__int128)c->arcs.items[of].cost * flow : 0;

	vector_each (&c->demands, w)
		if (w->of == of)
			sum += flow < w->at ? (__int128)(w->at - flow) * w->below
					    : (__int128)(flow - w->at) * w->above;
	return sum;
}

static uint64_t through(const struct circulation *c, uint32_t node, bool in)
{
	const struct circulation_arc *a;
	uint64_t sum = 0;

	vector_each (&c->arcs, a)
		sum += (in ? a->to : a->from) == node ? a->flow : 0;
	return sum;
}

static bool conserves(const struct circulation *c)
{
	for (uint32_t i = 0; i < c->nodes; i++)
		if (through(c, i, true) != through(c, i, false))
			return false;
	return true;
}

static __int128 cost(const struct circulation *c)
{
	__int128 sum = 0;

	for (uint32_t i = 0; i < c->arcs.count; i++)
		sum += cost_of(c, i, c->arcs.items[i].flow);
	for (uint32_t i = 0; i < c->nodes; i++)
		sum += cost_of(c, NODE + i, through(c, i, true));
	return sum;
}

/* ---- every flow ---------------------------------------------------------------------------- */

/* Arcs are fewer, and flows of the cheapest are at most so large, in what draw_tiny() draws. */
#define TINY_ARCS 6
#define TINY_FLOW 4

static __int128 least_of_all(struct circulation *c)
{
	struct circulation_arc *a;
	__int128 least = -1;
	size_t i;

	vector_each (&c->arcs, a)
		a->flow = 0;
	do {
		if (conserves(c)) {
			__int128 its = cost(c);

			least = least < 0 || its < least ? its : least;
		}
		for (i = 0; i < c->arcs.count && c->arcs.items[i].flow == TINY_FLOW; i++)
			c->arcs.items[i].flow = 0;
		if (i < c->arcs.count)
			c->arcs.items[i].flow++;
	} while (i < c->arcs.count);
	return least;
}

static void draw_wishes(struct circulation *c, uint32_t of, uint32_t at, uint32_t most)
{
	for (uint32_t n = below(3); n > 0; n--)
		assert_int_equal(circulation_demand(c, of, below(at), below(most), below(most)), 0);
}

/* Arcs from a node to itself, parallel ones, and ways that end are among them. */
static void draw(struct circulation *c, uint32_t nodes, uint32_t arcs, uint32_t at, uint32_t most)
{
	*c = (struct circulation){.nodes = nodes};
	for (uint32_t i = 0; i < arcs; i++) {
		assert_int_equal(circulation_add_arc(c, below(nodes), below(nodes), below(most)),
				 0);
		draw_wishes(c, i, at, most);
	}
	for (uint32_t i = 0; i < nodes; i++)
		if (below(2))
			draw_wishes(c, NODE + i, at, most);
}

static void as_cheap_as_any(void **state)
{
	size_t flowing = 0;

	(void)state;
	seed = 21;
	for (size_t i = 0; i < 400; i++) {
		struct circulation c;
		__int128 ours;

		draw(&c, 1 + below(4), below(TINY_ARCS), 4, 6);
		assert_int_equal(circulation_solve(&c, 0), 0);
		assert_true(conserves(&c));
		ours = cost(&c);
		for (size_t k = 0; k < c.arcs.count; k++)
			if (c.arcs.items[k].flow) {
				flowing++;
				break;
			}
		assert_true(ours == least_of_all(&c));
		circulation_deinit(&c);
	}
	assert_true(flowing > 100);
}

/* ---- no cycle saves anything --------------------------------------------------------------- */

struct step {
	uint32_t from, to;
	__int128 cost;
};

/* One more, and where there is one, one less. */
static size_t add_steps(const struct circulation *c, uint32_t of, uint64_t flow, uint32_t from,
			uint32_t to, struct step *steps)
{
	__int128 now = cost_of(c, of, flow);

	steps[0] = (struct step){from, to, cost_of(c, of, flow + 1) - now};
	if (!flow)
		return 1;
	steps[1] = (struct step){to, from, cost_of(c, of, flow - 1) - now};
	return 2;
}

/* A node is two vertices, between which its own demands are. */
static bool is_cheapest(const struct circulation *c)
{
	struct step *steps = memory_alloc_array(2 * (c->arcs.count + c->nodes), sizeof(*steps));
	__int128 *at = memory_alloc_array(2 * (size_t)c->nodes, sizeof(*at));
	size_t count = 0;
	bool shorter = true;

	assert_true(steps && at);
	for (uint32_t i = 0; i < c->arcs.count; i++) {
		const struct circulation_arc *a = &c->arcs.items[i];

		count += add_steps(c, i, a->flow, 2 * a->from + 1, 2 * a->to, steps + count);
	}
	for (uint32_t i = 0; i < c->nodes; i++)
		count += add_steps(c, NODE + i, through(c, i, true), 2 * i, 2 * i + 1,
				   steps + count);
	for (uint32_t round = 0; shorter && round <= 2 * c->nodes; round++) {
		shorter = false;
		for (size_t i = 0; i < count; i++)
			if (at[steps[i].from] + steps[i].cost < at[steps[i].to]) {
				at[steps[i].to] = at[steps[i].from] + steps[i].cost;
				shorter = true;
			}
	}
	memory_free(steps);
	memory_free(at);
	return !shorter;
}

static void no_cycle_saves(void **state)
{
	(void)state;
	seed = 22;
	for (size_t i = 0; i < 150; i++) {
		struct circulation c;
		uint32_t nodes = 2 + below(40);

		draw(&c, nodes, below(5 * nodes), 1 + below(below(2) ? 9 : 5000), 20000);
		assert_int_equal(circulation_solve(&c, 0), 0);
		assert_true(conserves(&c));
		assert_true(is_cheapest(&c));
		circulation_deinit(&c);
	}
}

/* The check itself notices a flow that is not the cheapest. */
static void a_dearer_one_is_noticed(void **state)
{
	struct circulation c = {.nodes = 2};

	(void)state;
	circulation_add_arc(&c, 0, 1, 3);
	circulation_add_arc(&c, 1, 0, 1);
	circulation_demand(&c, 0, 10, 5, 0);
	c.arcs.items[0].flow = c.arcs.items[1].flow = 9;
	assert_false(is_cheapest(&c));
	assert_int_equal(circulation_solve(&c, 0), 0);
	assert_int_equal(c.arcs.items[0].flow, 10);
	assert_true(is_cheapest(&c));
	circulation_deinit(&c);
}

/* ---- by hand ------------------------------------------------------------------------------- */

/* A cycle of one arc there and one back, with a demand_arc for the first. */
static uint64_t flow_with(uint32_t cost, const struct circulation_demand *demands, size_t count)
{
	struct circulation c = {.nodes = 2};
	uint64_t flow;

	circulation_add_arc(&c, 0, 1, cost);
	circulation_add_arc(&c, 1, 0, 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(circulation_demand(&c, demands[i].of, demands[i].at,
						    demands[i].below, demands[i].above),
				 0);
	assert_int_equal(circulation_solve(&c, 0), 0);
	assert_true(conserves(&c));
	flow = c.arcs.items[0].flow;
	circulation_deinit(&c);
	return flow;
}

/* In the order of circulation_demand's: of, below, above, at. */
static void wishes_by_hand(void **state)
{
	const struct circulation_demand exactly = {0, 5, 5, 7},
					interval[] = {{0, 5, 0, 7}, {0, 0, 5, 20}};
	const struct circulation_demand outvoted[] = {{0, 5, 5, 7}, {0, 3, 3, 9}, {0, 3, 3, 9}};
	const struct circulation_demand node[] = {{NODE + 1, 4, 4, 12}, {0, 3, 3, 2}};
	const struct circulation_demand pulled[] = {{0, 5, 0, 7}, {0, 0, 5, 20}, {1, 1, 1, 99}};

	(void)state;
	assert_int_equal(flow_with(4, &exactly, 1), 7);
	assert_int_equal(flow_with(6, &exactly, 1), 0); /* cheaper not to run at all */
	assert_int_equal(flow_with(1, interval, 2), 7);
	assert_int_equal(flow_with(0, pulled, 3), 20);
	assert_int_equal(flow_with(0, outvoted, 3), 9);
	assert_int_equal(flow_with(0, node, 2), 12);
	assert_int_equal(flow_with(2, node, 2), 2);
}

/* A loop of one block, of which something is known, and of which nothing is. */
static void a_node_that_follows_itself(void **state)
{
	(void)state;
	for (unsigned known = 0; known < 4; known++) {
		struct circulation c = {.nodes = 3};

		circulation_add_arc(&c, 0, 1, 1);
		circulation_add_arc(&c, 1, 1, 1);
		circulation_add_arc(&c, 1, 2, 1);
		circulation_add_arc(&c, 2, 0, 0);
		circulation_demand(&c, 0, 5, 100, 100);
		if (known & 1)
			circulation_demand(&c, NODE + 1, 50, 100, 100);
		if (known & 2)
			circulation_demand(&c, 1, 40, 10, 10);
		assert_int_equal(circulation_solve(&c, 0), 0);
		assert_true(conserves(&c));
		assert_true(is_cheapest(&c));
		assert_int_equal(c.arcs.items[0].flow, 5);
		assert_int_equal(c.arcs.items[1].flow, known & 1 ? 45 : known & 2 ? 40 : 0);
		circulation_deinit(&c);
	}
}

/* Solving again, after more became known, is as if it had been known at once. */
static void again_with_more(void **state)
{
	struct circulation c = {.nodes = 2};

	(void)state;
	circulation_add_arc(&c, 0, 1, 0);
	circulation_add_arc(&c, 1, 0, 0);
	circulation_add_arc(&c, 1, 1, 0);
	circulation_demand(&c, 0, 3, 2, 2);
	assert_int_equal(circulation_solve(&c, 0), 0);
	assert_int_equal(c.arcs.items[1].flow, 3);
	circulation_demand(&c, NODE + 1, 8, 1, 1);
	circulation_demand(&c, 0, 4, 2, 2);
	circulation_demand(&c, 0, 4, 2, 2);
	assert_int_equal(circulation_solve(&c, 0), 0);
	assert_int_equal(c.arcs.items[1].flow, 4);
	assert_int_equal(c.arcs.items[2].flow, 4);
	circulation_deinit(&c);
}

/* Wishes beyond the limit are for the limit; costs that add up beyond 32 bits are as high as can
 * be. */
static void limits(void **state)
{
	const struct circulation_demand far = {0, 1, 1, UINT64_MAX};
	const struct circulation_demand dear[] = {{0, UINT32_MAX, UINT32_MAX, 6},
						  {0, UINT32_MAX, UINT32_MAX, 6},
						  {0, UINT32_MAX, 0, CIRCULATION_LIMIT}};
	const struct circulation_demand nothing[] = {{0, 0, 0, 5}, {0, 9, 0, 0}};
	struct circulation c = {0};

	(void)state;
	assert_int_equal(flow_with(0, &far, 1), CIRCULATION_LIMIT);
	assert_int_equal(flow_with(3, dear, 2), 6);
	assert_int_equal(flow_with(0, dear, 3), 6);
	assert_int_equal(flow_with(1, nothing, 2), 0);
	circulation_demand(&c, 0, 5, 0, 0);
	circulation_demand(&c, 0, 0, 9, 0); /* none is below 0 */
	assert_int_equal(c.demands.count, 0);
	circulation_deinit(&c);
}

/* ---- when it can't -------------------------------------------------------------------------- */

static void gives_up(void **state)
{
	struct circulation c = {.nodes = 100};

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		circulation_add_arc(&c, i, (i + 1) % 100, 1);
	circulation_demand(&c, 50, 9, 1000, 1000);
	assert_int_equal(circulation_solve(&c, 50), 1);
	assert_int_equal(circulation_solve(&c, 0), 0);
	assert_int_equal(c.arcs.items[7].flow, 9);
	circulation_deinit(&c);
}

static int make_and_solve(struct circulation *c)
{
	*c = (struct circulation){.nodes = 3};
	for (uint32_t i = 0; i < 3; i++)
		if (circulation_add_arc(c, i, (i + 1) % 3, 1) ||
		    circulation_demand(c, i, 5 + i, 9, 9) ||
		    circulation_demand(c, NODE + i, 5 + i, 9, 9))
			return -1;
	return circulation_add_arc(c, 1, 1, 1) || circulation_solve(c, 0) ? -1 : 0;
}

static void without_memory(void **state)
{
	struct circulation c;
	size_t needs;

	(void)state;
	memory_fail_at(0);
	assert_int_equal(make_and_solve(&c), 0);
	circulation_deinit(&c);
	needs = memory_fail_at(0);
	assert_true(needs > 5);
	for (size_t i = 1; i <= needs; i++) {
		memory_fail_at(i);
		assert_int_equal(make_and_solve(&c), -1);
		memory_fail_at(0);
		circulation_deinit(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_cheap_as_any),
		cmocka_unit_test(no_cycle_saves),
		cmocka_unit_test(a_dearer_one_is_noticed),
		cmocka_unit_test(wishes_by_hand),
		cmocka_unit_test(a_node_that_follows_itself),
		cmocka_unit_test(again_with_more),
		cmocka_unit_test(limits),
		cmocka_unit_test(gives_up),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
