/* SPDX-License-Identifier: MIT */
/*
 * flow [FUNCTIONS]: how long smoothing takes, by our network simplex and by GLPK, on the same
 * networks in the same run. The networks have the shape of functions (branches, loops, switches),
 * counts as a sample of 1 in 1,000 has them, and the costs that converter/cfg/cfg.c gives.
 *
 * 1. FUNCTIONS functions of ordinary size (default 100,000; half of them below 8 blocks, one in a
 *    thousand above 300). They may take 20 s.
 * 2. One function of 500, 2,000, 5,000 and 20,000 blocks, and of 100,000 and 500,000 to show how
 *    time and memory grow. 20,000 blocks may take 5 s. GLPK takes part up to 2,000 (its 5,000 take
 *    minutes) unless GLPK=all is in the environment, which is up to 20,000, and not at all with
 *    GLPK=none.
 *
 * Costs are rising as for traces and sampled addresses, and flat, as in the literature.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/memory.h"
#include "mcf/flow.h"
#include "mcf/mincost.h"

static uint64_t seed = 1;

static double draw(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(seed >> 11) / (double)(UINT64_C(1) << 53);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* How often something that ran @n times is in a sample of 1 in 1,000. */
static uint64_t sampled(double n)
{
	double mean = n / 1000, spread = sqrt(mean), k = 0;

	for (int i = 0; i < 12; i++)
		k += draw();
	k = mean + (k - 6) * spread;
	return k < 0.5 ? 0 : (uint64_t)(k + 0.5);
}

static struct flow_count with_costs(uint64_t measured)
{
	return (struct flow_count){
		.measured = measured, .raise = measured ? 1000 : 3000, .lower = 1000};
}

static uint32_t add_node(struct flow_network *n, double count)
{
	struct flow_count *c = vector_push(&n->nodes);

	if (!c)
		abort();
	*c = with_costs(sampled(count));
	return (uint32_t)n->nodes.count - 1;
}

static void add_edge(struct flow_network *n, uint32_t from, uint32_t to, double count)
{
	struct flow_edge *e = vector_push(&n->edges);

	if (!e)
		abort();
	*e = (struct flow_edge){from, to, with_costs(sampled(count))};
}

/* Code of @blocks blocks behind @from, which leaves there @count times; returns its last block. */
static uint32_t add_code(struct flow_network *n, uint32_t from, double count, uint32_t blocks)
{
	while (blocks) {
		double kind = draw(), part = draw();
		uint32_t inner = blocks > 3 ? (uint32_t)(draw() * (blocks / 2)) : 0;
		uint32_t to, side, all = 1;

		if (kind < 0.5 && blocks > 2) { /* if, or if else */
			side = add_node(n, count * part);
			add_edge(n, from, side, count * part);
			side = add_code(n, side, count * part, inner);
			to = add_node(n, count);
			add_edge(n, side, to, count * part);
			add_edge(n, from, to, count * (1 - part));
			all = 2 + inner;
		} else if (kind < 0.75 && blocks > 2) { /* loop */
			double times = 1 + 30 * part * part * part;

			to = add_node(n, count * times);
			add_edge(n, from, to, count);
			side = add_code(n, to, count * times, inner);
			add_edge(n, side, to, count * (times - 1));
			to = add_node(n, count);
			add_edge(n, side, to, count);
			all = 2 + inner;
		} else if (kind < 0.8 && blocks > 8) { /* switch of 6 */
			to = add_node(n, count);
			for (int i = 0; i < 6; i++) {
				side = add_node(n, count / 6);
				add_edge(n, from, side, count / 6);
				add_edge(n, side, to, count / 6);
			}
			all = 7;
		} else {
			to = add_node(n, count);
			add_edge(n, from, to, count);
		}
		blocks -= all < blocks ? all : blocks;
		from = to;
	}
	return from;
}

static void make_function(struct flow_network *n, uint32_t blocks)
{
	double count = 1000 * exp(draw() * 12);
	uint32_t first = add_node(n, count), last;

	add_edge(n, FLOW_OUTSIDE, first, count);
	last = add_code(n, first, count, blocks - 1);
	add_edge(n, last, FLOW_OUTSIDE, count);
}

static void copy_network(struct flow_network *to, const struct flow_network *from)
{
	for (size_t i = 0; i < from->nodes.count; i++)
		*(struct flow_count *)vector_push(&to->nodes) = from->nodes.items[i];
	for (size_t i = 0; i < from->edges.count; i++)
		*(struct flow_edge *)vector_push(&to->edges) = from->edges.items[i];
}

struct total {
	double seconds, cost;
	size_t failed, left; /* left: to the simplex */
	uint64_t nodes, arcs;
};

/* The same networks by each solver, with either kind of costs. */
struct totals {
	struct total simplex_rising, simplex_flat, glpk_rising, glpk_flat;
};

static void solve(struct total *t, const struct flow_network *n, const struct flow_solver *by,
		  enum flow_costs costs)
{
	struct flow_network copy = {0};
	struct flow_stats stats = {0};
	enum flow_outcome outcome;
	double begin;

	copy_network(&copy, n);
	copy.costs = costs;
	begin = now_s();
	outcome = flow_solve(&copy, by, &stats);
	t->seconds += now_s() - begin;
	t->cost += (double)stats.cost;
	t->left += stats.too_large + stats.given_up;
	t->nodes += stats.solved[0];
	t->arcs += stats.solved[1];
	t->failed += outcome != FLOW_SOLVED && outcome != FLOW_CONSISTENT;
	flow_network_deinit(&copy);
}

static void print_total(const char *name, const struct total *t)
{
	printf("  %-22s %9.3f s  cost %.0f, %" PRIu64 " nodes, %" PRIu64
	       " arcs, %zu failed, %zu left\n",
	       name, t->seconds, t->cost, t->nodes, t->arcs, t->failed, t->left);
}

static void solve_all(struct totals *t, const struct flow_network *n, bool with_glpk)
{
	solve(&t->simplex_rising, n, NULL, FLOW_RISING);
	solve(&t->simplex_flat, n, NULL, FLOW_FLAT);
	if (!with_glpk)
		return;
	solve(&t->glpk_rising, n, &glpk_solver, FLOW_RISING);
	solve(&t->glpk_flat, n, &glpk_solver, FLOW_FLAT);
}

static void print_totals(const struct totals *t, bool with_glpk)
{
	print_total("simplex, rising costs", &t->simplex_rising);
	print_total("simplex, flat costs", &t->simplex_flat);
	if (!with_glpk)
		return;
	print_total("GLPK, rising costs", &t->glpk_rising);
	print_total("GLPK, flat costs", &t->glpk_flat);
}

static void many(size_t functions, bool with_glpk)
{
	struct totals totals = {0};
	size_t blocks = 0;

	for (size_t i = 0; i < functions; i++) {
		struct flow_network n = {0};
		uint32_t size = (uint32_t)(1.5 + 6.5 * exp(1.25 * (draw() + draw() + draw() +
								   draw() + draw() + draw() - 3)));

		make_function(&n, size);
		blocks += n.nodes.count;
		solve_all(&totals, &n, with_glpk);
		flow_network_deinit(&n);
	}
	printf("%zu functions, %zu blocks:\n", functions, blocks);
	print_totals(&totals, with_glpk);
}

static void one(uint32_t blocks, bool with_glpk)
{
	struct totals totals = {0};
	struct flow_network n = {0};
	struct rusage usage;

	make_function(&n, blocks);
	printf("one function of %zu blocks and %zu edges:\n", n.nodes.count, n.edges.count);
	solve_all(&totals, &n, with_glpk);
	print_totals(&totals, with_glpk);
	getrusage(RUSAGE_SELF, &usage);
	printf("  greatest resident set so far %ld MiB\n", usage.ru_maxrss / 1024);
	flow_network_deinit(&n);
}

int main(int argc, char **argv)
{
	static const uint32_t sizes[] = {500, 2000, 5000, 20000, 100000, 500000};
	const char *glpk = getenv("GLPK");

	uint32_t most = !glpk ? 2000 : !strcmp(glpk, "all") ? 20000 : 0;

	many(argc > 1 ? strtoul(argv[1], NULL, 10) : 100000, most);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		one(sizes[i], sizes[i] <= most);
	return 0;
}
