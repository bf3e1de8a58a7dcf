/* SPDX-License-Identifier: MIT */
/*
 * mcf/mincost.h against GLPK's optimum on random networks: simplex [NETWORKS], 400 by default.
 * Both solvers, the simplex and shortest paths.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "mcf/mincost.h"

#define BIG (UINT64_C(1) << 62)

static uint64_t seed;
static size_t networks = 400;

static uint32_t below(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % n;
}

struct network {
	size_t nodes, count;
	__int128 *supply;
	struct mincost_arc *arcs;
};

static void network_init(struct network *n, size_t nodes, size_t count)
{
	n->nodes = nodes;
	n->count = count;
	n->supply = memory_alloc_array(nodes, sizeof(*n->supply));
	n->arcs = memory_alloc_array(count + 1, sizeof(*n->arcs));
	assert_true(n->supply && n->arcs);
}

static void network_deinit(struct network *n)
{
	memory_free(n->supply);
	memory_free(n->arcs);
}

/* Some infeasible, many with ties, with arcs of no capacity and no cost, and parallel ones. */
static void network_draw(struct network *n)
{
	uint32_t nodes = 1 + below(below(4) ? 12 : 120), arcs = below(6 * nodes + 1);
	uint32_t cost = 1 + below(below(2) ? 5 : 5000), capacity = 1 + below(below(2) ? 4 : 4000);
	uint32_t pairs = below(nodes + 1);

	network_init(n, nodes, nodes > 1 ? arcs : 0);
	for (size_t i = 0; i < n->count; i++) {
		struct mincost_arc *a = &n->arcs[i];

		a->from = below(nodes);
		a->to = (a->from + 1 + below(nodes - 1)) % nodes;
		a->cost = below(cost);
		a->capacity = below(capacity);
	}
	for (uint32_t i = 0; i < pairs; i++) {
		uint32_t from = below(nodes), to = below(nodes), by = below(capacity);

		n->supply[from] += by;
		n->supply[to] -= by;
	}
}

/* Every node's supply leaves it, within the capacities. */
static void check_flow(const struct network *n)
{
	for (size_t v = 0; v < n->nodes; v++) {
		__int128 left = n->supply[v];

		for (size_t i = 0; i < n->count; i++) {
			left -= n->arcs[i].from == v ? n->arcs[i].flow : 0;
			left += n->arcs[i].to == v ? n->arcs[i].flow : 0;
		}
		assert_true(!left);
	}
	for (size_t i = 0; i < n->count; i++)
		assert_true(n->arcs[i].flow <= n->arcs[i].capacity);
}

static __int128 cost(const struct network *n)
{
	__int128 sum = 0;

	for (size_t i = 0; i < n->count; i++)
		sum += (__int128)n->arcs[i].flow * n->arcs[i].cost;
	return sum;
}

typedef enum mincost_outcome solve_call(const __int128 *supply, size_t nodes,
					struct mincost_arc *arcs, size_t count, uint64_t work);

static void check_solver(solve_call *solve, const struct network *n, enum mincost_outcome glpk,
			 __int128 least)
{
	assert_int_equal(solve(n->supply, n->nodes, n->arcs, n->count, 0), glpk);
	if (glpk != MINCOST_OPTIMAL)
		return;
	check_flow(n);
	assert_true(cost(n) == least);
}

static void as_cheap_as_glpk(void **state)
{
	size_t solved = 0, infeasible = 0;

	(void)state;
	seed = 11;
	for (size_t i = 0; i < networks; i++) {
		struct network n;
		enum mincost_outcome glpk;
		__int128 least;

		network_draw(&n);
		glpk = glpk_solver.solve(n.supply, n.nodes, n.arcs, n.count);
		least = cost(&n);
		check_solver(simplex_solve, &n, glpk, least);
		check_solver(shortest_paths_solve, &n, glpk, least);
		solved += glpk == MINCOST_OPTIMAL;
		infeasible += glpk == MINCOST_INFEASIBLE;
		network_deinit(&n);
	}
	assert_true(solved > networks / 4 && infeasible > networks / 8);
	assert_int_equal(solved + infeasible, networks);
}

/* The same network with counts 2^40 times as large has 2^40 times the flow; one node takes in more
 * than 64 bits hold. */
static void large_counts(void **state)
{
	(void)state;
	seed = 12;
	for (size_t i = 0; i < 200; i++) {
		struct network n;
		__int128 least;

		network_draw(&n);
		if (simplex_solve(n.supply, n.nodes, n.arcs, n.count, 0) == MINCOST_OPTIMAL) {
			least = cost(&n);
			for (size_t k = 0; k < n.count; k++)
				n.arcs[k].capacity <<= 40;
			for (size_t v = 0; v < n.nodes; v++)
				n.supply[v] *= (__int128)1 << 40;
			assert_int_equal(simplex_solve(n.supply, n.nodes, n.arcs, n.count, 0),
					 MINCOST_OPTIMAL);
			check_flow(&n);
			assert_true(cost(&n) == least << 40);
		}
		network_deinit(&n);
	}
}

/* Ten nodes send 2^62 each to one, which sends it on by ten arcs. */
static void beyond_64_bits(void **state)
{
	struct network n;

	(void)state;
	network_init(&n, 21, 20);
	for (uint32_t i = 0; i < 10; i++) {
		n.supply[i] = BIG;
		n.supply[11 + i] = -(__int128)BIG;
		n.arcs[i] = (struct mincost_arc){i, 10, 7, BIG, 0};
		n.arcs[10 + i] = (struct mincost_arc){10, 11 + i, 7, BIG, 0};
	}
	assert_int_equal(simplex_solve(n.supply, 21, n.arcs, 20, 0), MINCOST_OPTIMAL);
	check_flow(&n);
	n.arcs[3].capacity--;
	assert_int_equal(simplex_solve(n.supply, 21, n.arcs, 20, 0), MINCOST_INFEASIBLE);
	network_deinit(&n);
}

/* A chain with jumps ahead, of which one unit goes a short way: the rest is not looked at. */
static void far_nodes_are_left_alone(void **state)
{
	enum { NODES = 200000, FROM = 100000, TO = 100500 };
	struct network n;

	(void)state;
	seed = 13;
	network_init(&n, NODES, 2 * (NODES - 50));
	for (uint32_t i = 0; i < NODES - 50; i++) {
		n.arcs[2 * i] = (struct mincost_arc){i, i + 1, 1 + below(100), BIG, 0};
		n.arcs[2 * i + 1] = (struct mincost_arc){i, i + 2 + below(40), 2000, BIG, 0};
	}
	n.supply[FROM] = 3;
	n.supply[TO] = -3;
	assert_int_equal(shortest_paths_solve(n.supply, NODES, n.arcs, n.count, 20000),
			 MINCOST_OPTIMAL);
	n.supply[FROM + 1] = 1;
	n.supply[TO] = -4;
	assert_int_equal(shortest_paths_solve(n.supply, NODES, n.arcs, n.count, 1), MINCOST_FAILED);
	network_deinit(&n);
}

static void what_it_refuses(void **state)
{
	__int128 supply[2] = {1, -1}, uneven[2] = {1, 0}, none = 0;
	struct mincost_arc arc = {0, 1, 3, 1, 0};

	(void)state;
	assert_int_equal(simplex_solve(&none, 0, NULL, 0, 0), MINCOST_FAILED);
	assert_int_equal(simplex_solve(&none, 1, NULL, 0, 0), MINCOST_OPTIMAL);
	assert_int_equal(simplex_solve(supply, 2, NULL, 0, 0), MINCOST_INFEASIBLE);
	assert_int_equal(simplex_solve(supply, 2, &arc, 1, 0), MINCOST_OPTIMAL);
	assert_int_equal(arc.flow, 1);
	assert_int_equal(simplex_solve(uneven, 2, &arc, 1, 0), MINCOST_FAILED);
	arc.to = 2;
	assert_int_equal(simplex_solve(supply, 2, &arc, 1, 0), MINCOST_FAILED);
	arc.to = 0;
	assert_int_equal(simplex_solve(supply, 2, &arc, 1, 0), MINCOST_FAILED);
	arc.to = 1;
	arc.capacity = SIMPLEX_CAPACITY_LIMIT;
	assert_int_equal(simplex_solve(supply, 2, &arc, 1, 0), MINCOST_FAILED);
	arc.capacity = 1;
	for (size_t i = 1; i <= 4; i++) {
		memory_fail_at(i);
		assert_int_equal(simplex_solve(supply, 2, &arc, 1, 0), MINCOST_NO_MEMORY);
		memory_fail_at(0);
	}
}

/* A way of 99 arcs takes more work than 50 visits. */
static void gives_up(void **state)
{
	struct network n;

	(void)state;
	network_init(&n, 100, 99);
	n.supply[0] = 5;
	n.supply[99] = -5;
	for (uint32_t i = 0; i < 99; i++)
		n.arcs[i] = (struct mincost_arc){i, i + 1, 1, 9, 0};
	assert_int_equal(simplex_solve(n.supply, n.nodes, n.arcs, n.count, 50), MINCOST_FAILED);
	assert_int_equal(simplex_solve(n.supply, n.nodes, n.arcs, n.count, 0), MINCOST_OPTIMAL);
	check_flow(&n);
	network_deinit(&n);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_cheap_as_glpk), cmocka_unit_test(large_counts),
		cmocka_unit_test(beyond_64_bits),   cmocka_unit_test(far_nodes_are_left_alone),
		cmocka_unit_test(what_it_refuses),  cmocka_unit_test(gives_up),
	};

	if (argc > 1)
		networks = strtoul(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
