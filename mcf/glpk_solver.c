/* SPDX-License-Identifier: MIT */
/*
 * Minimum-cost flow by GLPK's out-of-kilter solver. The only file that calls GLPK, whose license is
 * the GPL: a target of its own, that the program links and the conversion library does not. GLPK
 * would end the program on errors, which are caught here.
 */
#include "mcf/mincost.h"

#include <glpk.h>
#include <setjmp.h>

#include "base/memory.h"

struct vertex_data {
	double supply;
};

struct arc_data {
	double low, capacity, cost, flow;
};

/* What must outlive a longjmp out of GLPK. */
struct solving {
	jmp_buf out;
	const __int128 *supply;
	size_t nodes, count;
	const struct mincost_arc *arcs;
	glp_arc **made; /* GLPK's arc of each of ours */
	glp_graph *graph;
	int status;
};

static void jump_out(void *info)
{
	struct solving *s = info;

	longjmp(s->out, 1);
}

static void build(struct solving *s)
{
	s->graph = glp_create_graph(sizeof(struct vertex_data), sizeof(struct arc_data));
	glp_add_vertices(s->graph, (int)s->nodes);
	for (size_t i = 0; i < s->nodes; i++)
		((struct vertex_data *)s->graph->v[i + 1]->data)->supply = (double)s->supply[i];
	for (size_t i = 0; i < s->count; i++) {
		const struct mincost_arc *a = &s->arcs[i];

		s->made[i] = glp_add_arc(s->graph, (int)a->from + 1, (int)a->to + 1);
		/* In an optimum no arc carries more than all supplies. */
		*(struct arc_data *)s->made[i]->data = (struct arc_data){
			.capacity = a->capacity < GLPK_SOLVER_SUPPLY_LIMIT
					    ? (double)a->capacity
					    : GLPK_SOLVER_SUPPLY_LIMIT - 1,
			.cost = a->cost,
		};
	}
}

/* False if GLPK found an error, or no memory, and left by jump_out(). */
static bool glpk_run(struct solving *s)
{
	double cost;

	if (setjmp(s->out)) {
		glp_free_env(); /* with all that was allocated; a new one is made when needed */
		return false;
	}
	glp_term_out(GLP_OFF);
	glp_error_hook(jump_out, s);
	build(s);
	s->status = glp_mincost_okalg(
		s->graph, offsetof(struct vertex_data, supply), offsetof(struct arc_data, low),
		offsetof(struct arc_data, capacity), offsetof(struct arc_data, cost), &cost,
		offsetof(struct arc_data, flow), -1);
	return true;
}

static bool is_in_limits(const __int128 *supply, size_t nodes, size_t count)
{
	__int128 sum = 0;

	if (nodes > GLPK_SOLVER_NODES_MAX || count > GLPK_SOLVER_ARCS_MAX)
		return false;
	for (size_t i = 0; i < nodes && sum < GLPK_SOLVER_SUPPLY_LIMIT; i++)
		sum += supply[i] > 0 ? supply[i] : 0;
	return sum < GLPK_SOLVER_SUPPLY_LIMIT;
}

static enum mincost_outcome solve(const __int128 *supply, size_t nodes, struct mincost_arc *arcs,
				  size_t count)
{
	struct solving s = {.supply = supply, .nodes = nodes, .count = count, .arcs = arcs};
	enum mincost_outcome outcome = MINCOST_FAILED;

	if (!is_in_limits(supply, nodes, count))
		return MINCOST_TOO_LARGE;
	s.made = nodes ? memory_alloc_array(count + 1, sizeof(*s.made)) : NULL;
	if (!s.made || !glpk_run(&s))
		goto out;
	for (size_t i = 0; i < count && !s.status; i++)
		arcs[i].flow = (uint64_t)((struct arc_data *)s.made[i]->data)->flow;
	outcome = !s.status		   ? MINCOST_OPTIMAL
		  : s.status == GLP_ENOPFS ? MINCOST_INFEASIBLE
					   : MINCOST_FAILED;
	glp_delete_graph(s.graph);
	glp_error_hook(NULL, NULL);
out:
	memory_free(s.made);
	return outcome;
}

#define LIMITS "80,000 nodes, 400,000 arcs, and counts that are off by less than 2^29 in all"

const struct flow_solver glpk_solver = {.name = "glpk", .limits = LIMITS, .solve = solve};
const struct flow_solver glpk_solver_last = {
	.name = "glpk", .limits = LIMITS, .last = true, .solve = solve};
