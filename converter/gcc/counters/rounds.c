/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/rounds.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"

/* The key of rounds.forced. */
static uint64_t round_calls_key(uint32_t function, uint32_t context)
{
	return (uint64_t)function << 32 | context;
}

/* Which instances of a function are solved as one. */

/* Inlined instances of a function that are solved one by one: those above a share of its hottest
 * one, so many at most. The others are solved as one. */
#define SINGLE_MOST  60
#define SINGLE_SHARE 1000

/* Groups, and what was solved. */
static void round_groups_clear(struct round_function *f)
{
	struct round_group *g;

	vector_each (&f->groups, g)
		memory_free(g->blocks);
	f->groups.count = f->members.count = 0;
	memory_free(f->arcs);
	f->arcs = NULL;
}

struct ranked {
	uint32_t instance;
	uint64_t most;
};

ORDER_BY(by_most, struct ranked, ORDER_DOWN(most) ?: ORDER_UP(instance));

static int add_member(struct round_function *f, uint32_t instance, bool begins, bool own)
{
	struct round_group *g = begins ? vector_push(&f->groups)
				       : &f->groups.items[f->groups.count - 1];
	uint32_t *slot = vector_push(&f->members);

	if (!g || !slot)
		return -1;
	if (begins)
		*g = (struct round_group){.first = f->members.count - 1, .own = own};
	*slot = instance;
	g->count++;
	return 0;
}

/* Make the groups of function number @number, which has none yet. 0, or -1 without memory. */
static int round_groups_make(const struct rounds *r, uint32_t number, struct round_function *f)
{
	bool split = r->attributions->functions.items[number].split;
	struct ranked *ranked = memory_alloc_array(f->count + 1, sizeof(*ranked));
	uint64_t most = 1;
	size_t inlined = 0, singles = 0;
	bool any = false;
	int rc = ranked ? 0 : -1;

	for (size_t i = f->first; i < f->first + f->count && !rc; i++) {
		const struct round_instance *one = &r->instances.items[i];

		most = one->most > most ? one->most : most;
		if (split || context_is_symbol(&r->attributions->contexts, one->context)) {
			rc = add_member(f, (uint32_t)i, !any, true);
			any = true;
		} else {
			ranked[inlined++] = (struct ranked){(uint32_t)i, one->most};
		}
	}
	if (!rc && inlined > 1)
		qsort(ranked, inlined, sizeof(*ranked), by_most);
	for (size_t i = 0; i < inlined && !rc; i++) {
		bool single = i < SINGLE_MOST && ranked[i].most * SINGLE_SHARE > most;

		rc = add_member(f, ranked[i].instance, single || i == singles, false);
		singles += single;
	}
	memory_free(ranked);
	return rc;
}

/* The instances of all functions that were observed, and the calls that they are inlined at. */

/* The number of a call site of a function in a context; CONTEXT_NONE without memory. */
static uint32_t site_of(struct rounds *r, uint32_t function, uint32_t context, uint32_t line,
			uint32_t column)
{
	struct context c = {.parent = context, .name = function, .line = line, .column = column};

	return contexts_add(&r->sites, &c);
}

/* Whose call statement does it stand for? Frames that were inlined before gcc counts have none of
 * their own: the call is in the function around them. */
static void find_call(const struct rounds *r, struct round_instance *i)
{
	const struct contexts *all = &r->attributions->contexts;
	const struct context *at = &all->items.items[i->context];

	i->caller = NOTES_NONE;
	if (at->parent == CONTEXT_NONE)
		return;
	i->line = at->line;
	i->column = at->column;
	for (; at->parent != CONTEXT_NONE; at = &all->items.items[at->parent]) {
		size_t n = 0;

		if (at->caller != NOTES_NONE)
			notes_function_calls(&r->keys->functions.items[at->caller], i->line,
					     i->column, &n);
		if (!n)
			continue;
		i->caller = at->caller;
		i->caller_context = at->parent;
		return;
	}
}

/* A function that was inlined several times before gcc counts brings its calls along: several
 * instances at one call. */
static int share_calls(struct rounds *r)
{
	struct map sums = {0};
	struct round_instance *i;
	int rc = 0;

	for (int second = 0; second < 2 && !rc; second++)
		vector_each (&r->instances, i) {
			struct map_entry *e;
			uint32_t site;

			if (i->caller == NOTES_NONE)
				continue;
			site = site_of(r, i->caller, i->caller_context, i->line, i->column);
			e = site == CONTEXT_NONE ? NULL : map_at(&sums, site, i->function);
			if (!e) {
				rc = -1;
				break;
			}
			if (second) {
				i->alone = e->m == 1;
				i->weight = e->n;
			} else {
				e->n += i->most;
				e->m++;
			}
		}
	map_deinit(&sums);
	return rc;
}

/* Find the instances of all functions that have attributions. 0, or -1 without memory. */
static int round_instances_find(struct rounds *r)
{
	const struct attributions *o = r->attributions;

	if (vector_reserve(&r->functions, r->keys->functions.count + 1))
		return -1;
	r->functions.count = r->keys->functions.count;
	memset(r->functions.items, 0, r->functions.count * sizeof(*r->functions.items));
	for (size_t i = 0; i < o->items.count;) {
		const struct attribution *first = &o->items.items[i];
		struct round_instance *slot = vector_push(&r->instances);
		struct round_function *f = &r->functions.items[first->function];

		if (!slot)
			return -1;
		*slot = (struct round_instance){
			.function = first->function, .context = first->context, .first = i};
		for (; i < o->items.count && o->items.items[i].function == first->function &&
		       o->items.items[i].context == first->context;
		     i++)
			if (o->items.items[i].count > slot->most)
				slot->most = o->items.items[i].count;
		slot->end = i;
		find_call(r, slot);
		if (!f->count++)
			f->first = r->instances.count - 1;
	}
	r->stats.instances = r->instances.count;
	return share_calls(r);
}

/* The flow problems of one function in one round: one for each group of its instances. */

/* Calls without a trace in the code are believed from this share of all calls on. */
#define UNSEEN_SHARE 50
/* Weights: what is inlined at a block's call, and that a block that calls a function runs no more
 * often than that is entered. */
#define WEIGHT_FORCED 1.0
#define WEIGHT_CALLEE 2.0

/* Instances that are inlined at calls of this group's code are entered as often as these run. */
static int demand_forced(struct rounds *r, const struct notes_function *keys, uint32_t function,
			 const uint32_t *members, size_t count, struct constraints *v)
{
	for (size_t m = 0; m < count; m++) {
		uint64_t at = round_calls_key(function, r->instances.items[members[m]].context);

		for (uint32_t b = 0; b < keys->graph->block_count; b++) {
			const struct map_entry *e = map_find(&r->forced, at, b);

			if (e && constraints_add(v, CIRCULATION_NODE + b, e->n, WEIGHT_FORCED,
						 WEIGHT_FORCED))
				return -1;
		}
	}
	return 0;
}

/* A block that calls a function that is never inlined runs at most as often as that is entered. */
static int demand_callees(const struct rounds *r, const struct notes_function *keys,
			  struct constraints *v)
{
	const struct notes_call *c;

	vector_each (&keys->calls, c) {
		uint32_t callee = notes_index_callee(r->keys, keys, c);
		const struct attributed_function *to =
			callee == NOTES_NONE ? NULL : &r->attributions->functions.items[callee];

		if (to && to->symbol && !to->inlined &&
		    constraints_add(v, CIRCULATION_NODE + c->block, to->entries, 0, WEIGHT_CALLEE))
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

/* Solve @problem, for group @g of function @f, and add its flow to the function's. One that has no
 * solution adds nothing. 0, or -1 without memory. */
static int round_flows_add(struct rounds *r, struct round_function *f, struct round_group *g,
			   const struct instance_arcs *problem)
{
	const struct gcc_function *graph = problem->f->graph;
	uint64_t *flows = memory_alloc_array(graph->arcs.count + 1, sizeof(*flows));
	int rc = -1;

	g->blocks = memory_alloc_array(graph->block_count + 1u, sizeof(*g->blocks));
	if (!flows || !g->blocks)
		goto out;
	r->stats.solved++;
	rc = instance_arcs_solve(problem, flows);
	if (rc) {
		r->stats.unsolved++;
		rc = rc < 0 ? -1 : 0;
		goto out;
	}
	instance_arcs_blocks(graph, flows, g->blocks);
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

	*entries = g->own ? r->attributions->functions.items[function].entries : 0;
	for (size_t m = 0; m < g->count; m++) {
		const struct round_instance *i = &r->instances.items[members[m]];

		if (context_is_symbol(&r->attributions->contexts, i->context))
			continue;
		inlined = true;
		placed |= i->placed;
		*entries += i->placed ? i->entries : 0;
	}
	/* instances of which only the call of the part that was split off is left are not seen */
	return !inlined ||
	       (r->round && placed && !r->attributions->functions.items[function].split);
}

/* All constraints on the instances of group @g, which @sources has. */
static int collect_constraints(struct rounds *r, uint32_t number, const struct round_group *g,
			       const struct constraints_source *sources, struct constraints *out)
{
	const struct notes_function *keys = &r->keys->functions.items[number];
	const uint32_t *members = vector_at(&r->functions.items[number].members, g->first);
	int rc = constraints_collect(r->keys, r->attributions, number, sources, g->count, out);

	if (!rc && (g->own || g->count == 1))
		rc = demand_forced(r, keys, number, members, g->count, out);
	if (!rc)
		rc = demand_callees(r, keys, out);
	if (!rc && g->own && keys->computed_goto)
		rc = jump_constraints_add_gotos(r->keys, r->attributions, number, out);
	return rc;
}

/* Note in r->solved which instances' blocks the solution of @g is. */
static int note_solved(struct rounds *r, uint32_t number, const struct round_group *g)
{
	const struct round_function *f = &r->functions.items[number];

	for (size_t m = 0; m < g->count; m++) {
		const struct round_instance *i =
			&r->instances.items[f->members.items[g->first + m]];
		struct map_entry *e;

		/* what was solved has the blocks of other instances, too */
		if (g->count > 1 && !context_is_symbol(&r->attributions->contexts, i->context))
			continue;
		e = map_at(&r->solved, number, i->context);
		if (!e)
			return -1;
		e->n = (uint64_t)(g - f->groups.items) + 1;
	}
	return 0;
}

/* Solve the flow problem of the instances of @g, unless they neither ran nor were entered. */
static int solve_group(struct rounds *r, uint32_t number, struct round_group *g)
{
	struct round_function *f = &r->functions.items[number];
	const uint32_t *members = vector_at(&f->members, g->first);
	struct constraints_source *sources = memory_alloc_array(g->count, sizeof(*sources));
	struct constraints constraints = {0};
	struct instance_arcs problem = {
		.f = &r->keys->functions.items[number], .constraints = &constraints, .own = g->own};
	uint64_t most = 0;
	int rc = -1;

	if (!sources)
		goto out;
	for (size_t m = 0; m < g->count; m++) {
		const struct round_instance *i = &r->instances.items[members[m]];

		sources[m] = (struct constraints_source){i->context, i->first, i->end};
		most = i->most > most ? i->most : most;
	}
	rc = 0;
	problem.has_entries = find_entries(r, number, g, members, &problem.entries);
	if (!most && !problem.entries)
		goto out;
	rc = collect_constraints(r, number, g, sources, &constraints)
		     ?: round_flows_add(r, f, g, &problem);
	if (!rc && g->blocks)
		rc = note_solved(r, number, g);
out:
	memory_free(sources);
	constraints_deinit(&constraints);
	return rc;
}

/* Calls of which the code shows nothing, or too little: inlined, and optimised away. */
static int solve_unseen(struct rounds *r, uint32_t number)
{
	struct round_function *f = &r->functions.items[number];
	const struct notes_function *keys = &r->keys->functions.items[number];
	const struct attributed_function *observed = &r->attributions->functions.items[number];
	uint64_t entered = 0;
	struct constraints constraints = {0};
	struct instance_arcs problem = {
		.f = keys, .constraints = &constraints, .own = true, .has_entries = true};
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
	rc = demand_callees(r, keys, &constraints) ?: round_flows_add(r, f, g, &problem);
	constraints_deinit(&constraints);
	return rc;
}

/* All of function number @number, anew. 0, or -1 without memory. */
static int round_flows_solve(struct rounds *r, uint32_t number)
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

/* How often each function is called, and entered, by the flows of a round. */

static void count_calls(struct rounds *r)
{
	struct round_function *f;

	vector_each (&r->functions, f)
		f->called = 0;
	for (uint32_t n = 0; n < r->functions.count; n++) {
		const struct notes_function *f = &r->keys->functions.items[n];
		const struct round_group *g;
		const struct notes_call *c;

		vector_each (&r->functions.items[n].groups, g) {
			if (!g->blocks)
				continue;
			vector_each (&f->calls, c) {
				uint32_t callee = notes_index_callee(r->keys, f, c);

				if (callee != NOTES_NONE)
					r->functions.items[callee].called += g->blocks[c->block];
			}
		}
	}
}

static const uint64_t *blocks_of(const struct rounds *r, uint32_t function, uint32_t context)
{
	const struct map_entry *e = map_find(&r->solved, function, context);

	return e ? r->functions.items[function].groups.items[e->n - 1].blocks : NULL;
}

/* An inlined instance is entered as often as the blocks of its call ran. */
static int place_instances(struct rounds *r)
{
	struct round_instance *i;

	vector_each (&r->instances, i) {
		const uint64_t *blocks, *own = blocks_of(r, i->function, i->context);
		const struct notes_call *c;
		struct map_entry *e;
		bool one = true;
		size_t n;

		blocks = i->caller == NOTES_NONE ? NULL
						 : blocks_of(r, i->caller, i->caller_context);
		if (!blocks)
			continue;
		c = notes_function_calls(&r->keys->functions.items[i->caller], i->line, i->column,
					 &n);
		i->placed = true;
		i->entries = 0;
		for (size_t k = 0; k < n; k++) {
			if (k && c[k].block == c[k - 1].block)
				continue;
			one &= !k;
			i->entries += blocks[c[k].block];
		}
		if (!i->alone && i->weight)
			i->entries = (uint64_t)((unsigned __int128)i->entries * i->most /
						i->weight);
		/* what stands there and did not run was not entered */
		if (r->round || !one || (!own && i->most))
			continue;
		e = map_at(&r->forced, round_calls_key(i->caller, i->caller_context), c->block);
		if (!e)
			return -1;
		e->n += own ? own[0] : 0;
	}
	return 0;
}

static void find_taken(struct rounds *r)
{
	for (uint32_t n = 0; n < r->functions.count; n++) {
		const struct attributed_function *o = &r->attributions->functions.items[n];

		r->functions.items[n].taken = (o->entries > o->pointed &&
					       o->entries - o->pointed >
						       r->functions.items[n].called) ||
					      (o->symbol && !o->inlined);
	}
}

/* Count the calls of all functions, for the next round. 0, or -1 without memory. */
static int round_calls_count(struct rounds *r)
{
	count_calls(r);
	if (place_instances(r))
		return -1;
	find_taken(r);
	return 0;
}

/* Against gcc's guesses of a whole function. */
#define WEIGHT_GUESSED 50.0

/* Calls that are guessed are no more than the entries of what is called: gcc would take its own
 * code for cold, and what is inlined at these calls for all of it. @calls: of each function, by
 * number. */
static int demand_entries(const struct rounds *r, const struct notes_function *keys,
			  const uint32_t *calls, uint64_t entries, struct constraints *v)
{
	const struct notes_call *c;

	vector_each (&keys->calls, c) {
		uint32_t callee = notes_index_callee(r->keys, keys, c);
		const struct attributed_function *to =
			callee == NOTES_NONE ? NULL : &r->attributions->functions.items[callee];

		if (to &&
		    constraints_add(v, CIRCULATION_NODE + c->block,
				    (to->entries + entries) / calls[callee], 0, WEIGHT_GUESSED))
			return -1;
	}
	return 0;
}

static int guess(struct rounds *r, uint32_t number, uint64_t entries, uint64_t most,
		 const uint32_t *calls)
{
	struct round_function *f = &r->functions.items[number];
	struct constraints constraints = {0};
	struct instance_arcs problem = {.f = &r->keys->functions.items[number],
					.constraints = &constraints,
					.own = true,
					.has_entries = true,
					.entries = entries,
					.guess_most = most};
	struct round_group g = {0};
	int rc = demand_entries(r, problem.f, calls, entries, &constraints)
			 ?: round_flows_add(r, f, &g, &problem);

	constraints_deinit(&constraints);
	memory_free(g.blocks);
	return rc;
}

int round_guesses_add(struct rounds *r, bool all, uint64_t entries, uint64_t most)
{
	uint32_t *calls = memory_alloc_array(r->functions.count + 1, sizeof(*calls));
	int rc = calls ? 0 : -1;

	for (uint32_t n = 0; n < r->functions.count && !rc; n++) {
		const struct notes_function *f = &r->keys->functions.items[n];
		const struct notes_call *c;

		vector_each (&f->calls, c) {
			uint32_t callee = notes_index_callee(r->keys, f, c);

			if (callee != NOTES_NONE)
				calls[callee]++;
		}
	}
	for (uint32_t n = 0; n < r->functions.count && !rc; n++)
		if (r->keys->functions.items[n].same_as == n && (all || r->functions.items[n].arcs))
			rc = guess(r, n, entries, most, calls);
	memory_free(calls);
	return rc;
}

/* Behind the first one, which knows nothing of entries. */
#define ROUNDS 3

void rounds_deinit(struct rounds *r)
{
	struct round_function *f;

	vector_each (&r->functions, f) {
		round_groups_clear(f);
		vector_deinit(&f->groups);
		vector_deinit(&f->members);
	}
	vector_deinit(&r->functions);
	vector_deinit(&r->instances);
	contexts_deinit(&r->sites);
	map_deinit(&r->solved);
	map_deinit(&r->forced);
}

int rounds_run(struct rounds *r, const struct notes_index *keys, const struct attributions *o)
{
	r->keys = keys;
	r->attributions = o;
	if (round_instances_find(r))
		return -1;
	for (r->round = 0; r->round <= ROUNDS; r->round++) {
		map_deinit(&r->solved);
		for (uint32_t n = 0; n < r->functions.count; n++)
			if (keys->functions.items[n].same_as == n && round_flows_solve(r, n))
				return -1;
		if (round_calls_count(r))
			return -1;
	}
	return 0;
}
