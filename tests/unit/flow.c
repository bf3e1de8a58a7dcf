/* SPDX-License-Identifier: MIT */
/* mcf/flow.h: hand-worked networks, random ones, and tiny ones against every possible flow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
#include "mcf/flow.h"
#include "mcf/mincost.h"

/* The solvers have no threads: fewer networks, and smaller ones, are enough where each takes as
 * long as twenty. */
#if defined(__SANITIZE_THREAD__)
#define ROUNDS(n) ((n) / 20u)
#else
#define ROUNDS(n) (n##u)
#endif

#define OUT FLOW_OUTSIDE

static uint64_t seed;

static uint32_t below(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % n;
}

static void node(struct flow_network *n, uint64_t measured, uint32_t raise, uint32_t lower)
{
	struct flow_count *c = vector_push(&n->nodes);

	assert_non_null(c);
	*c = (struct flow_count){.measured = measured, .raise = raise, .lower = lower, .flow = 77};
}

static void edge(struct flow_network *n, uint32_t from, uint32_t to, uint64_t measured,
		 uint32_t raise, uint32_t lower)
{
	struct flow_edge *e = vector_push(&n->edges);

	assert_non_null(e);
	*e = (struct flow_edge){
		from, to, {.measured = measured, .raise = raise, .lower = lower, .flow = 77}};
}

static bool conserves(const struct flow_network *n)
{
	for (uint32_t i = 0; i < n->nodes.count; i++) {
		__int128 in = 0, out = 0;
		const struct flow_edge *e;

		vector_each (&n->edges, e) {
			in += e->to == i ? e->count.flow : 0;
			out += e->from == i ? e->count.flow : 0;
		}
		if (in != n->nodes.items[i].flow || out != in)
			return false;
	}
	return true;
}

static uint64_t cost_of(const struct flow_count *c, uint64_t flow)
{
	uint64_t last = c->vanish > c->lower ? c->vanish - c->lower : 0;

	if (flow > c->measured)
		return (flow - c->measured) * c->raise;
	return (c->measured - flow) * c->lower + (c->measured && !flow ? last : 0);
}

static uint64_t cost(const struct flow_network *n)
{
	const struct flow_count *c;
	const struct flow_edge *e;
	uint64_t sum = 0;

	vector_each (&n->nodes, c)
		sum += cost_of(c, c->flow);
	vector_each (&n->edges, e)
		sum += cost_of(&e->count, e->count.flow);
	return sum;
}

/* A diamond, of whose four edges one was missed: 10 -> 0 -> (1: 7 | 2: 3) -> 3 -> 10. */
static void diamond(void **state)
{
	struct flow_network n = {0};
	struct flow_stats stats = {0};

	(void)state;
	node(&n, 10, 5, 5);
	node(&n, 7, 5, 5);
	node(&n, 0, 5, 5);
	node(&n, 10, 5, 5);
	edge(&n, OUT, 0, 10, 5, 5);
	edge(&n, 0, 1, 7, 5, 5);
	edge(&n, 0, 2, 0, 5, 5);
	edge(&n, 1, 3, 7, 5, 5);
	edge(&n, 2, 3, 3, 5, 5);
	edge(&n, 3, OUT, 10, 5, 5);
	assert_int_equal(flow_solve(&n, NULL, &stats), FLOW_SOLVED);
	assert_true(conserves(&n));
	assert_int_equal(n.nodes.items[2].flow, 3);
	assert_int_equal(n.edges.items[2].count.flow, 3);
	assert_int_equal(stats.raised, 6);
	assert_int_equal(stats.lowered, 0);
	assert_true(stats.solved[0] < 9);
	flow_network_deinit(&n);
}

/* Seen once in the middle: it is dropped, or the way there wakes if the last step costs much. */
static void what_was_seen_stays(void **state)
{
	(void)state;
	for (uint32_t vanish = 0; vanish <= 100; vanish += 100) {
		struct flow_network n = {0};

		node(&n, 0, 6, 5);
		node(&n, 1, 5, 5);
		edge(&n, OUT, 0, 0, 6, 5);
		edge(&n, 0, 1, 0, 6, 5);
		edge(&n, 1, OUT, 0, 6, 5);
		n.nodes.items[1].vanish = vanish;
		assert_int_equal(flow_solve(&n, NULL, NULL), FLOW_SOLVED);
		assert_true(conserves(&n));
		assert_int_equal(n.nodes.items[1].flow, vanish ? 1 : 0);
		flow_network_deinit(&n);
	}
}

/*
 * A block of 4,000 is left by two ways of 900 and 2,700 runs: what is missing is shared out in
 * proportion, where flat costs give it all to one of them.
 */
static void shared_out(void **state)
{
	(void)state;
	for (int rising = 0; rising < 2; rising++) {
		struct flow_network n = {.costs = rising ? FLOW_RISING : FLOW_FLAT};
		uint64_t a, b;

		node(&n, 4000, 1000, 1000);
		node(&n, 900, 1000, 1000);
		node(&n, 2700, 1000, 1000);
		edge(&n, OUT, 0, 4000, 100000, 100000);
		edge(&n, 0, 1, 900, 1000, 1000);
		edge(&n, 0, 2, 2700, 1000, 1000);
		edge(&n, 1, OUT, 900, 1000, 1000);
		edge(&n, 2, OUT, 2700, 1000, 1000);
		assert_int_equal(flow_solve(&n, NULL, NULL), FLOW_SOLVED);
		assert_true(conserves(&n));
		a = n.nodes.items[1].flow;
		b = n.nodes.items[2].flow;
		assert_int_equal(a + b, n.nodes.items[0].flow);
		if (rising) {
			assert_in_range(a * 100 / (a + b), 24, 26);
			assert_in_range(a + b, 3900, 4000);
		} else {
			assert_true(a == 900 || b == 2700);
		}
		flow_network_deinit(&n);
	}
}

/* Tiny ones with rising costs against every flow: what a sample's likelihood says. */
static double unlikely(const struct flow_count *c)
{
	double seen = (double)c->measured, flow = (double)c->flow;

	if (!c->measured)
		return flow;
	return c->flow ? flow - seen - seen * log(flow / seen) : 1e9;
}

static double unlikely_network(const struct flow_network *n)
{
	const struct flow_count *c;
	const struct flow_edge *e;
	double sum = 0;

	vector_each (&n->nodes, c)
		sum += unlikely(c);
	vector_each (&n->edges, e)
		sum += unlikely(&e->count);
	return sum;
}

/* Split, one way and the other, and together again: @through runs, @first of them one way. */
static void lay_split(struct flow_network *n, uint64_t through, uint64_t first)
{
	const uint64_t flows[] = {through, first, through - first, first, through - first, through};

	for (size_t i = 0; i < 6; i++)
		n->edges.items[i].count.flow = flows[i];
	n->nodes.items[0].flow = n->nodes.items[3].flow = through;
	n->nodes.items[1].flow = first;
	n->nodes.items[2].flow = through - first;
}

static void likeliest(void **state)
{
	(void)state;
	seed = 7;
	for (int i = 0; i < 20; i++) {
		struct flow_network n = {.costs = FLOW_RISING};
		double ours, best = 1e18;

		for (int k = 0; k < 4; k++)
			node(&n, 1 + below(100), 1000, 1000);
		edge(&n, OUT, 0, 1 + below(100), 1000, 1000);
		edge(&n, 0, 1, 1 + below(100), 1000, 1000);
		edge(&n, 0, 2, 1 + below(100), 1000, 1000);
		edge(&n, 1, 3, 1 + below(100), 1000, 1000);
		edge(&n, 2, 3, 1 + below(100), 1000, 1000);
		edge(&n, 3, OUT, 1 + below(100), 1000, 1000);
		assert_true(flow_solve(&n, NULL, NULL) <= FLOW_SOLVED);
		assert_true(conserves(&n));
		ours = unlikely_network(&n);
		for (uint64_t through = 2; through <= 200; through++)
			for (uint64_t first = 1; first < through; first++) {
				lay_split(&n, through, first);
				best = fmin(best, unlikely_network(&n));
			}
		/* stretches of one cost make it a little worse than the best */
		assert_true(ours < 1.1 * best + 1);
		flow_network_deinit(&n);
	}
}

/* Nothing to do, nothing at all, one node, and parts that do not touch. */
static void trivial(void **state)
{
	struct flow_network n = {0};
	struct flow_stats stats = {0};

	(void)state;
	assert_int_equal(flow_solve(&n, NULL, NULL), FLOW_CONSISTENT);
	node(&n, 5, 1, 1);
	assert_int_equal(flow_solve(&n, NULL, NULL), FLOW_SOLVED); /* no way in */
	assert_int_equal(n.nodes.items[0].flow, 0);
	edge(&n, OUT, 0, 5, 1, 1);
	edge(&n, 0, OUT, 5, 1, 1);
	assert_int_equal(flow_solve(&n, NULL, &stats), FLOW_CONSISTENT);
	assert_int_equal(n.nodes.items[0].flow, 5);
	assert_int_equal(stats.solved[0] + stats.raised + stats.lowered, 0);
	node(&n, 4, 1, 1);
	edge(&n, 1, 1, 4, 1, 1);
	edge(&n, OUT, OUT, 9, 1, 1);
	assert_int_equal(flow_solve(&n, NULL, NULL), FLOW_CONSISTENT); /* a ring beside it */
	n.nodes.items[1].measured = 6;
	assert_int_equal(flow_solve(&n, NULL, NULL), FLOW_SOLVED);
	assert_true(conserves(&n));
	assert_int_equal(n.nodes.items[0].flow, 5);
	assert_int_equal(n.edges.items[3].count.flow, 9);
	flow_network_deinit(&n);
}

/* Half of what was measured has a cost of its own for the last step. */
static void raise_some(struct flow_network *n, uint32_t costs)
{
	struct flow_count *c;
	struct flow_edge *e;

	vector_each (&n->nodes, c)
		c->vanish = below(2) ? below(6 * costs) : 0;
	vector_each (&n->edges, e)
		e->count.vanish = below(2) ? below(6 * costs) : 0;
}

static void make_random(struct flow_network *n, uint32_t nodes, uint32_t edges, unsigned bits,
			uint32_t costs)
{
	for (uint32_t i = 0; i < nodes; i++)
		node(n, (uint64_t)below(1u << 16) >> (16 - bits), 1 + below(costs),
		     1 + below(costs));
	for (uint32_t i = 0; i < edges; i++) {
		uint32_t from = below(nodes + 1), to = below(nodes + 1);

		edge(n, from == nodes ? OUT : from, to == nodes ? OUT : to,
		     (uint64_t)below(1u << 16) >> (16 - bits), 1 + below(costs), 1 + below(costs));
	}
}

static void random_conserves(void **state)
{
	(void)state;
	seed = 1;
	for (unsigned i = 0; i < ROUNDS(4000); i++) {
		uint32_t nodes = 1 + below(30);
		struct flow_network n = {0};
		enum flow_outcome outcome;

		make_random(&n, nodes, below(3 * nodes), 12, 1000);
		n.costs = i % 2 ? FLOW_RISING : FLOW_FLAT;
		outcome = flow_solve(&n, NULL, NULL);
		assert_true(outcome == FLOW_SOLVED || outcome == FLOW_CONSISTENT);
		assert_true(conserves(&n));
		flow_network_deinit(&n);
	}
}

/* The least cost of all flows of at most @most per edge, from edge @i on. */
static uint64_t least_cost(struct flow_network *n, size_t i, uint64_t most)
{
	uint64_t best = UINT64_MAX;

	if (i == n->edges.count) {
		for (uint32_t v = 0; v < n->nodes.count; v++) {
			const struct flow_edge *e;

			n->nodes.items[v].flow = 0;
			vector_each (&n->edges, e)
				n->nodes.items[v].flow += e->to == v ? e->count.flow : 0;
		}
		return conserves(n) ? cost(n) : UINT64_MAX;
	}
	for (uint64_t f = 0; f <= most; f++) {
		uint64_t its;

		n->edges.items[i].count.flow = f;
		its = least_cost(n, i + 1, most);
		best = its < best ? its : best;
	}
	return best;
}

static void as_cheap_as_brute_force(void **state)
{
	(void)state;
	seed = 2;
	for (unsigned i = 0; i < ROUNDS(600); i++) {
		struct flow_network n = {0};
		uint64_t ours;

		/* Counts to 3: no optimum of so few edges carries more than 7 on one. */
		make_random(&n, 1 + below(3), 1 + below(5), 2, 9);
		if (i % 2)
			raise_some(&n, 9);
		assert_true(flow_solve(&n, NULL, NULL) <= FLOW_SOLVED);
		assert_true(conserves(&n));
		ours = cost(&n);
		assert_int_equal(ours, least_cost(&n, 0, 7));
		flow_network_deinit(&n);
	}
}

/* Beyond the solver's integers: still exact, and small gaps in large counts to the one. */
static void large_counts(void **state)
{
	static const uint64_t big = UINT64_C(1) << 62;
	struct flow_network n = {0};

	(void)state;
	node(&n, big, 9, 9);
	edge(&n, OUT, 0, big - 3, 1, 1);
	edge(&n, 0, OUT, big, 9, 9);
	assert_int_equal(flow_solve(&n, NULL, NULL), FLOW_SOLVED);
	assert_int_equal(n.edges.items[0].count.flow, big);
	n.edges.items[0].count.measured = 12345;
	n.edges.items[1].count.measured = big - 987654321;
	assert_int_equal(flow_solve(&n, NULL, NULL), FLOW_SOLVED);
	assert_true(conserves(&n));
	assert_true(n.nodes.items[0].flow > big - (big >> 20));
	flow_network_deinit(&n);

	seed = 3;
	for (unsigned i = 0; i < ROUNDS(500); i++) {
		struct flow_edge *e;

		make_random(&n, 1 + below(20), below(50), 16, 1000);
		vector_each (&n.edges, e)
			e->count.measured = e->count.measured << below(42) | below(1000);
		n.costs = i % 2 ? FLOW_RISING : FLOW_FLAT;
		assert_true(flow_solve(&n, NULL, NULL) <= FLOW_SOLVED);
		assert_true(conserves(&n));
		flow_network_deinit(&n);
	}
}

static void keeps_what_it_cannot_solve(void **state)
{
	struct flow_network n = {0};
	struct flow_stats stats = {0};

	(void)state;
	node(&n, 1, 1, 1);
	edge(&n, OUT, 0, UINT64_MAX, 1, 1);
	assert_int_equal(flow_solve(&n, NULL, &stats), FLOW_TOO_LARGE);
	assert_true(n.edges.items[0].count.flow == UINT64_MAX);
	assert_int_equal(n.nodes.items[0].flow, 1);
	assert_int_equal(stats.raised + stats.lowered, 0);
	flow_network_deinit(&n);
}

/* Flows of the two solvers may differ where several are the cheapest; their costs may not. */
static void solvers_agree(void **state)
{
	size_t solved = 0;

	(void)state;
	seed = 6;
	for (unsigned i = 0; i < ROUNDS(600); i++) {
		struct flow_network n = {.costs = i % 4 < 2 ? FLOW_FLAT : FLOW_RISING};
		struct flow_stats ours = {0}, glpk = {0};
		uint64_t flat;

		make_random(&n, 1 + below(60), below(150), 10, 300);
		if (i % 2)
			raise_some(&n, 300);
		assert_true(flow_solve(&n, NULL, &ours) <= FLOW_SOLVED);
		flat = cost(&n);
		solved += flow_solve(&n, &glpk_solver, &glpk) == FLOW_SOLVED;
		assert_true(conserves(&n));
		assert_int_equal(ours.cost, glpk.cost);
		if (n.costs == FLOW_FLAT)
			assert_int_equal(flat, cost(&n));
		assert_int_equal(glpk.too_large + glpk.given_up + ours.by_other, 0);
		assert_int_equal(glpk.by_other, glpk.cost > 0);
		flow_network_deinit(&n);
	}
	assert_true(solved > ROUNDS(300));
}

static enum mincost_outcome answer;
static int asked;

static enum mincost_outcome refuse(const __int128 *supply, size_t nodes, struct mincost_arc *arcs,
				   size_t count)
{
	(void)supply;
	(void)nodes;
	asked++;
	for (size_t i = 0; i < count; i++)
		arcs[i].flow = 12345;
	return answer;
}

/* What a solver leaves, whatever it did to the arcs, the simplex solves as if it were alone. */
static void left_to_the_simplex(void **state)
{
	struct flow_solver other = {.name = "other", .solve = refuse};
	struct flow_stats alone = {0}, after = {0};
	struct flow_network n = {0};
	uint64_t flow;

	(void)state;
	seed = 7;
	make_random(&n, 10, 30, 8, 100);
	assert_int_equal(flow_solve(&n, NULL, &alone), FLOW_SOLVED);
	assert_true(alone.cost > 0);
	flow = n.nodes.items[3].flow;
	answer = MINCOST_TOO_LARGE;
	assert_int_equal(flow_solve(&n, &other, &after), FLOW_SOLVED);
	assert_int_equal(after.too_large, 1);
	answer = MINCOST_FAILED;
	assert_int_equal(flow_solve(&n, &other, &after), FLOW_SOLVED);
	assert_int_equal(asked, 2);
	assert_int_equal(after.given_up, 1);
	assert_int_equal(after.too_large, 1);
	assert_int_equal(after.by_other, 0);
	assert_int_equal(after.cost, 2 * alone.cost);
	assert_int_equal(n.nodes.items[3].flow, flow);
	other.last = true; /* the simplex does not give up, so nobody asks */
	assert_int_equal(flow_solve(&n, &other, &after), FLOW_SOLVED);
	assert_int_equal(asked, 2);
	flow_network_deinit(&n);
}

/* One more node, or arc, or unit than GLPK takes. */
static void limits_of_glpk(void **state)
{
	size_t nodes = GLPK_SOLVER_NODES_MAX + 1, count = GLPK_SOLVER_ARCS_MAX + 1;
	__int128 *supply = memory_alloc_array(nodes, sizeof(*supply));
	struct mincost_arc *arcs = memory_alloc_array(count, sizeof(*arcs));

	(void)state;
	assert_true(supply && arcs);
	for (size_t i = 0; i < count; i++)
		arcs[i] = (struct mincost_arc){.to = 1, .cost = 1, .capacity = UINT64_MAX};
	supply[0] = GLPK_SOLVER_SUPPLY_LIMIT - 1;
	supply[1] = -supply[0];
	assert_int_equal(glpk_solver.solve(supply, nodes, arcs, 1), MINCOST_TOO_LARGE);
	assert_int_equal(glpk_solver.solve(supply, nodes - 1, arcs, count), MINCOST_TOO_LARGE);
	assert_int_equal(glpk_solver.solve(supply, 2, arcs, 2), MINCOST_OPTIMAL);
	assert_int_equal(arcs[0].flow + arcs[1].flow, GLPK_SOLVER_SUPPLY_LIMIT - 1);
	supply[0]++;
	supply[1]--;
	assert_int_equal(glpk_solver.solve(supply, 2, arcs, 1), MINCOST_TOO_LARGE);
	memory_free(supply);
	memory_free(arcs);
}

/* 2^62 in each of many nodes: every vertex conserves it. */
static void make_gigantic(uint32_t nodes, enum flow_costs costs)
{
	struct flow_network n = {.costs = costs};
	struct flow_stats stats = {0};
	uint64_t *in = memory_alloc_array(nodes, sizeof(*in)),
		 *out = memory_alloc_array(nodes, sizeof(*out));
	const struct flow_edge *e;

	assert_true(in && out);
	seed = 4;
	for (uint32_t i = 0; i < nodes; i++)
		node(&n, UINT64_C(1) << 62, 1 + below(1000), 1 + below(1000));
	for (uint32_t i = 0; i < nodes; i++) {
		edge(&n, i ? i - 1 : OUT, i, UINT64_C(1) << below(63), 1 + below(1000), 5);
		edge(&n, i, i + below(20) < nodes ? i + below(20) % (nodes - i) : OUT, below(99), 7,
		     1 + below(1000));
	}
	edge(&n, nodes - 1, OUT, 7, 1, 1);
	assert_int_equal(flow_solve(&n, NULL, NULL), FLOW_SOLVED);
	vector_each (&n.edges, e) {
		assert_true(e->count.flow < FLOW_COUNT_LIMIT);
		if (e->to != OUT)
			in[e->to] += e->count.flow;
		if (e->from != OUT)
			out[e->from] += e->count.flow;
	}
	for (uint32_t i = 0; i < nodes; i++) {
		assert_true(in[i] == n.nodes.items[i].flow);
		assert_true(out[i] == n.nodes.items[i].flow);
	}
	if (nodes < 1000) {
		assert_int_equal(flow_solve(&n, &glpk_solver, &stats), FLOW_SOLVED);
		assert_int_equal(stats.too_large, 1);
		assert_int_equal(stats.by_other + stats.given_up, 0);
	}
	memory_free(in);
	memory_free(out);
	flow_network_deinit(&n);
}

static void gigantic(void **state)
{
	(void)state;
	make_gigantic(1000 + ROUNDS(19000), FLOW_FLAT);
	make_gigantic(500, FLOW_RISING);
}

static void no_memory(void **state)
{
	struct flow_network n = {0};
	size_t allocations;

	(void)state;
	seed = 5;
	make_random(&n, 10, 30, 8, 100);
	memory_fail_at(0);
	assert_int_equal(flow_solve(&n, NULL, NULL), FLOW_SOLVED);
	allocations = memory_fail_at(0);
	assert_true(allocations > 5);
	for (size_t i = 1; i <= allocations; i++) {
		enum flow_outcome outcome;

		memory_fail_at(i);
		outcome = flow_solve(&n, NULL, NULL);
		memory_fail_at(0);
		assert_true(outcome == FLOW_NO_MEMORY || outcome == FLOW_FAILED);
		assert_int_equal(n.nodes.items[3].flow, n.nodes.items[3].measured);
	}
	/* What the simplex has given up, GLPK solves. */
	memory_fail_at(allocations);
	assert_int_equal(flow_solve(&n, &glpk_solver_last, NULL), FLOW_SOLVED);
	memory_fail_at(0);
	assert_true(conserves(&n));
	flow_network_deinit(&n);
}

/* GLPK ends the program on errors, were they not caught; and it can be used again. */
static void solver_errors_are_caught(void **state)
{
	static const __int128 supply[] = {1, -1};
	struct mincost_arc arc = {.from = 0, .to = 5, .capacity = 1, .cost = 1};

	(void)state;
	for (int i = 0; i < 3; i++) {
		arc.to = 5; /* there is no such node */
		assert_int_equal(glpk_solver.solve(supply, 2, &arc, 1), MINCOST_FAILED);
		arc.to = 1;
		assert_int_equal(glpk_solver.solve(supply, 2, &arc, 1), MINCOST_OPTIMAL);
		assert_int_equal(arc.flow, 1);
		arc.capacity = 0;
		assert_int_equal(glpk_solver.solve(supply, 2, &arc, 1), MINCOST_INFEASIBLE);
		arc.capacity = 1;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(diamond),
		cmocka_unit_test(what_was_seen_stays),
		cmocka_unit_test(shared_out),
		cmocka_unit_test(likeliest),
		cmocka_unit_test(trivial),
		cmocka_unit_test(random_conserves),
		cmocka_unit_test(as_cheap_as_brute_force),
		cmocka_unit_test(large_counts),
		cmocka_unit_test(keeps_what_it_cannot_solve),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(solver_errors_are_caught),
		cmocka_unit_test(solvers_agree),
		cmocka_unit_test(left_to_the_simplex),
		cmocka_unit_test(limits_of_glpk),
		cmocka_unit_test(gigantic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
