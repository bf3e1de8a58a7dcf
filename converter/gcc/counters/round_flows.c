/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/round_flows.h"

#include "base/memory.h"
#include "converter/gcc/counters/evidence.h"
#include "converter/gcc/counters/goto_evidence.h"
#include "converter/gcc/counters/instance_evidence.h"
#include "converter/gcc/counters/round_calls.h"
#include "converter/gcc/counters/round_groups.h"

/* Calls without a trace in the code are believed from this share of all calls on. */
#define UNSEEN_SHARE 50
/* Weights: what is inlined at a block's call, and that a block that calls a function runs no more
 * often than that is entered. */
#define WEIGHT_FORCED 1.0
#define WEIGHT_CALLEE 2.0

/* What is inlined at calls of this group's code runs as often as they do. */
static int wish_forced(struct rounds *r, const struct key_function *keys, uint32_t function,
		       const uint32_t *members, size_t count, struct evidence *v)
{
	for (size_t m = 0; m < count; m++) {
		uint64_t at = round_calls_key(function, r->instances.items[members[m]].context);

		for (uint32_t b = 0; b < keys->graph->block_count; b++) {
			const struct map_entry *e = map_find(&r->forced, at, b);

			if (e && evidence_wish(v, CIRCULATION_NODE + b, e->n, WEIGHT_FORCED,
					       WEIGHT_FORCED))
				return -1;
		}
	}
	return 0;
}

/* A block that calls a function that is never inlined runs at most as often as that is entered. */
static int wish_callees(const struct rounds *r, const struct key_function *keys, struct evidence *v)
{
	const struct key_call *c;

	vector_each (&keys->calls, c) {
		uint32_t callee = key_index_callee(r->keys, keys, c);
		const struct observed_function *to =
			callee == KEY_NONE ? NULL : &r->observations->functions.items[callee];

		if (to && to->symbol && !to->inlined &&
		    evidence_wish(v, CIRCULATION_NODE + c->block, to->entries, 0, WEIGHT_CALLEE))
			return -1;
	}
	return 0;
}

static int add_flows(struct round_function *f, const struct gcc_function *graph,
		     const uint64_t *flows)
{
	if (!f->arcs)
		f->arcs = memory_alloc_array(graph->arcs.count + 1, sizeof(*f->arcs));
	if (!f->arcs)
		return -1;
	for (size_t i = 0; i < graph->arcs.count; i++)
		f->arcs[i] += flows[i];
	return 0;
}

int round_flows_add(struct rounds *r, struct round_function *f, struct round_group *g,
		    const struct instance_flow *problem)
{
	const struct gcc_function *graph = problem->f->graph;
	uint64_t *flows = memory_alloc_array(graph->arcs.count + 1, sizeof(*flows));
	int rc = -1;

	g->blocks = memory_alloc_array(graph->block_count + 1u, sizeof(*g->blocks));
	if (!flows || !g->blocks)
		goto out;
	r->stats.solved++;
	rc = instance_flow_solve(problem, flows);
	if (rc) {
		r->stats.unsolved++;
		rc = rc < 0 ? -1 : 0;
		goto out;
	}
	instance_flow_blocks(graph, flows, g->blocks);
	rc = add_flows(f, graph, flows);
out:
	memory_free(flows);
	return rc;
}

/* How often was a group entered? False if that is not known. */
static bool find_entries(const struct rounds *r, uint32_t function, const struct round_group *g,
			 const uint32_t *members, uint64_t *entries)
{
	bool placed = false, inlined = false;

	*entries = g->own ? r->observations->functions.items[function].entries : 0;
	for (size_t m = 0; m < g->count; m++) {
		const struct round_instance *i = &r->instances.items[members[m]];

		if (context_is_symbol(&r->observations->contexts, i->context))
			continue;
		inlined = true;
		placed |= i->placed;
		*entries += i->placed ? i->entries : 0;
	}
	/* instances of which only the call of the part that was split off is left are not seen */
	return !inlined ||
	       (r->round && placed && !r->observations->functions.items[function].split);
}

/* Has what was solved the blocks of this instance alone? */
static bool is_of_instance(const struct rounds *r, const struct round_group *g,
			   const struct round_instance *i)
{
	return g->count == 1 || context_is_symbol(&r->observations->contexts, i->context);
}

static int solve_group(struct rounds *r, uint32_t number, struct round_group *g)
{
	struct round_function *f = &r->functions.items[number];
	const struct key_function *keys = &r->keys->functions.items[number];
	const uint32_t *members = f->members.items + g->first;
	struct instance_evidence_source *sources = memory_alloc_array(g->count, sizeof(*sources));
	struct evidence evidence = {0};
	struct instance_flow problem = {.f = keys, .evidence = &evidence, .own = g->own};
	uint64_t most = 0;
	int rc = sources ? 0 : -1;

	for (size_t m = 0; m < g->count && !rc; m++) {
		const struct round_instance *i = &r->instances.items[members[m]];

		sources[m] = (struct instance_evidence_source){i->context, i->first, i->end};
		most = i->most > most ? i->most : most;
	}
	problem.has_entries = find_entries(r, number, g, members, &problem.entries);
	if (rc || (!most && !problem.entries))
		goto out;
	rc = instance_evidence_collect(r->keys, r->observations, number, sources, g->count,
				       &evidence);
	if (!rc && (g->own || g->count == 1))
		rc = wish_forced(r, keys, number, members, g->count, &evidence);
	if (!rc)
		rc = wish_callees(r, keys, &evidence);
	if (!rc && g->own && keys->computed_goto)
		rc = goto_evidence_add(r->keys, r->observations, number, &evidence);
	if (!rc)
		rc = round_flows_add(r, f, g, &problem);
	for (size_t m = 0; m < g->count && !rc && g->blocks; m++) {
		const struct round_instance *i = &r->instances.items[members[m]];
		struct map_entry *e;

		if (!is_of_instance(r, g, i))
			continue;
		e = map_at(&r->solved, number, i->context);
		rc = e ? 0 : -1;
		if (e)
			e->n = (uint64_t)(g - f->groups.items) + 1;
	}
out:
	memory_free(sources);
	evidence_deinit(&evidence);
	return rc;
}

/* Calls of which the code shows nothing, or too little: inlined, and optimised away. */
static int solve_unseen(struct rounds *r, uint32_t number)
{
	struct round_function *f = &r->functions.items[number];
	const struct key_function *keys = &r->keys->functions.items[number];
	const struct observed_function *observed = &r->observations->functions.items[number];
	uint64_t entered = 0;
	struct evidence evidence = {0};
	struct instance_flow problem = {
		.f = keys, .evidence = &evidence, .own = true, .has_entries = true};
	struct round_group *g;
	int rc;

	if (f->taken || observed->split)
		return 0;
	vector_each (&f->groups, g)
		entered += g->blocks ? g->blocks[0] : 0;
	entered -= entered > observed->pointed ? observed->pointed : entered;
	problem.entries = f->called > entered ? f->called - entered : 0;
	if (problem.entries <= 1 || problem.entries * UNSEEN_SHARE <= f->called)
		return 0;
	g = vector_push(&f->groups);
	if (!g)
		return -1;
	*g = (struct round_group){.first = f->members.count};
	rc = wish_callees(r, keys, &evidence);
	if (!rc)
		rc = round_flows_add(r, f, g, &problem);
	evidence_deinit(&evidence);
	return rc;
}

int round_flows_solve(struct rounds *r, uint32_t number)
{
	struct round_function *f = &r->functions.items[number];

	round_groups_clear(f);
	if (f->count && round_groups_make(r, number, f))
		return -1;
	for (size_t i = 0; i < f->groups.count; i++)
		if (solve_group(r, number, &f->groups.items[i]))
			return -1;
	return r->round && f->called ? solve_unseen(r, number) : 0;
}
