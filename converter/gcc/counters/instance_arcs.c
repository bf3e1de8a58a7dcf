/* SPDX-License-Identifier: MIT */
/*
 * How often each arc of one instance of a function ran: a circulation of least cost on gcc's graph,
 * under the constraints and the number of entries. Where only a sum of several blocks is known, or
 * only gcc's guess, the flows of a first solution are shared out and it is solved again.
 */
#include "converter/gcc/counters/rounds.h"

#include <string.h>

#include "base/memory.h"

/* Costs of a step, of CONSTRAINT_ONE: of any arc; of one that stands for an abnormal edge; of a
 * call that never returns, or that does not where others do. */
#define COST_ARC      1u
#define COST_ABNORMAL 10u
#define COST_ENTERED  CONSTRAINT_ONE
#define COST_NORETURN CONSTRAINT_ONE
#define COST_FAKE     (4 * CONSTRAINT_ONE)
/* Weights of how often it was entered, and of gcc's guesses. */
#define WEIGHT_OWN     2.0
#define WEIGHT_INLINED 1.0
#define WEIGHT_GUESS   0.01
/* The probability that gcc gives a condition it knows nothing of; how often such a one holds. */
#define NO_IDEA	    500u
#define SHARE_HOLDS 0.2
#define WEIGHT_LOOP 20.0 /* more than all of its statements */
#define WEIGHT_LEFT 1.0
/* Two counts of a loop agree if the smaller is this share of the greater, or more. */
#define LOOP_SHARE 0.75
/* The problem is solved so often. */
#define PASSES 3
/* The simplex gives up after this work, which takes it seconds. */
#define WORK (UINT64_C(1) << 30)

struct solving {
	const struct instance_arcs *i;
	const struct gcc_function *graph;
	struct circulation c;
	uint64_t *flows, *blocks;
	uint32_t *first, *leaving; /* sort_arcs */
	bool *all_fake;		   /* by block: the arcs that leave it are */
	uint8_t *loops;		   /* by loop: LOOP_AGREES and so on */
};

void instance_arcs_blocks(const struct gcc_function *graph, const uint64_t *flows, uint64_t *blocks)
{
	memset(blocks, 0, graph->block_count * sizeof(*blocks));
	for (size_t i = 0; i < graph->arcs.count; i++) {
		const struct gcc_arc *a = &graph->arcs.items[i];

		blocks[a->from] += flows[i];
		if (a->to == 1)
			blocks[1] += flows[i];
	}
}

static uint32_t cost_of(const struct solving *s, const struct gcc_arc *a)
{
	const struct gcc_function *g = s->graph;

	if (!(a->flags & GCC_ARC_FAKE))
		return COST_ARC;
	if (!a->from) /* to a label, a landing pad, or what setjmp returns to */
		return s->i->f->computed_goto ? COST_ABNORMAL : COST_ENTERED;
	if (a->from < g->blocks.count && g->blocks.items[a->from].computed_goto)
		return COST_ABNORMAL;
	if (s->all_fake[a->from])
		return COST_NORETURN;
	return COST_FAKE;
}

/* The network without demands. */
static int lay_out(struct solving *s)
{
	const struct gcc_arc *a;

	memset(s->all_fake, true, s->graph->block_count * sizeof(*s->all_fake));
	vector_each (&s->graph->arcs, a)
		if (!(a->flags & GCC_ARC_FAKE))
			s->all_fake[a->from] = false;
	s->c.nodes = s->graph->block_count;
	s->c.arcs.count = s->c.demands.count = 0;
	vector_each (&s->graph->arcs, a)
		if (circulation_add_arc(&s->c, a->from, a->to, cost_of(s, a)))
			return -1;
	return circulation_add_arc(&s->c, 1, 0, 0);
}

static int demand_arc(struct solving *s, uint32_t of, uint64_t at, double below, double above)
{
	return circulation_demand(&s->c, of, at, (uint32_t)(below * CONSTRAINT_ONE),
				  (uint32_t)(above * CONSTRAINT_ONE));
}

static int take_constraints(struct solving *s)
{
	const struct circulation_demand *w;
	double weight = s->i->own ? WEIGHT_OWN : WEIGHT_INLINED;

	vector_each (&s->i->constraints->demands, w)
		if (circulation_demand(&s->c, w->of, w->at, w->below, w->above))
			return -1;
	for (uint32_t i = 0; s->i->has_entries && i < s->graph->arcs.count; i++) {
		const struct gcc_arc *a = &s->graph->arcs.items[i];

		if (!a->from && !(a->flags & GCC_ARC_FAKE) &&
		    demand_arc(s, i, s->i->entries, weight, weight))
			return -1;
	}
	return 0;
}

/* Blocks that are known together get what they lack, in proportion. */
static int share_out_sums(struct solving *s)
{
	struct constraints *v = s->i->constraints;
	struct constraint_sum *sum;

	vector_each (&v->sums, sum) {
		const uint32_t *blocks = vector_at(&v->blocks, sum->first);
		double all = 0;

		for (uint32_t k = 0; k < sum->count; k++)
			all += (double)s->blocks[blocks[k]];
		/* what was given is given again: it may be all that they have */
		sum->lacked |= all < (double)sum->least;
		if (!sum->lacked)
			continue;
		for (uint32_t k = 0; k < sum->count; k++) {
			double share = all > 0 ? (double)s->blocks[blocks[k]] / all
					       : 1.0 / sum->count;

			if (circulation_demand(&s->c, CIRCULATION_NODE + blocks[k],
					       (uint64_t)(share * (double)sum->least), sum->below,
					       0))
				return -1;
		}
	}
	return 0;
}

/* s->leaving: arcs by the block that they leave, those of block b from s->first[b] on. */
static void sort_arcs(struct solving *s)
{
	const struct gcc_arc *arcs = s->graph->arcs.items;
	size_t count = s->graph->arcs.count;

	for (size_t i = 0; i < count; i++)
		s->first[arcs[i].from + 1]++;
	for (uint32_t b = 0; b < s->graph->block_count; b++)
		s->first[b + 1] += s->first[b];
	for (size_t i = count; i-- > 0;)
		s->leaving[--s->first[arcs[i].from + 1]] = (uint32_t)i;
	for (uint32_t b = 0; b < s->graph->block_count; b++)
		s->first[b] = s->first[b + 1];
	s->first[s->graph->block_count] = (uint32_t)count;
}

/* gcc's guess; where it has no idea of a condition, that it seldom holds: of what the compiler
 * makes a select, and no jump tells of, the source's `if` is the exception. */
static double guessed_share(const struct gcc_guess *g)
{
	if (g->per_mille != NO_IDEA || g->edge == GCC_EDGE_ALWAYS)
		return g->per_mille / 1000.0;
	return g->edge == GCC_EDGE_TRUE ? SHARE_HOLDS : 1 - SHARE_HOLDS;
}

/* A block that is left by several arcs: each arc's demand is what gcc guesses. */
static int demand_guesses(struct solving *s)
{
	const struct gcc_guess *g;

	vector_each (&s->graph->guesses, g)
		for (uint32_t i = s->first[g->from]; i < s->first[g->from + 1]; i++) {
			const struct gcc_arc *a = &s->graph->arcs.items[s->leaving[i]];

			if (a->to != g->to || a->flags & GCC_ARC_FAKE || g->per_mille >= 1000)
				continue;
			if (demand_arc(s, s->leaving[i],
				       (uint64_t)(guessed_share(g) * (double)s->blocks[a->from]),
				       WEIGHT_GUESS, WEIGHT_GUESS))
				return -1;
		}
	return 0;
}

static uint32_t find_arc(const struct solving *s, uint32_t from, uint32_t to)
{
	for (uint32_t i = s->first[from]; i < s->first[from + 1]; i++) {
		const struct gcc_arc *a = &s->graph->arcs.items[s->leaving[i]];

		if (a->to == to && !(a->flags & GCC_ARC_FAKE))
			return s->leaving[i];
	}
	return NOTES_NONE;
}

/* Which of a loop's two counts is too small: how often it goes on, or how often it is left. */
enum { LOOP_AGREES, LOOP_RUNS_MORE, LOOP_LEFT_MORE };

static bool is_less(uint64_t a, uint64_t b)
{
	return (double)a < LOOP_SHARE * (double)b;
}

/* Loops that always go on the same number of times do so, whatever was made of their code; a first
 * test that was left out may have taken the count of what leaves them. */
static int demand_loops(struct solving *s)
{
	for (size_t i = 0; i < s->graph->loops.count; i++) {
		const struct gcc_loop *l = &s->graph->loops.items[i];
		uint32_t on = find_arc(s, l->from, l->to), out = find_arc(s, l->from, l->exit);
		uint64_t all;

		if (on == NOTES_NONE || out == NOTES_NONE || s->flows[out] > UINT64_MAX / l->times)
			continue;
		all = s->flows[out] * l->times;
		if (s->loops[i] == LOOP_AGREES)
			s->loops[i] = is_less(s->flows[on], all)   ? LOOP_RUNS_MORE
				      : is_less(all, s->flows[on]) ? LOOP_LEFT_MORE
								   : LOOP_AGREES;
		if (s->loops[i] == LOOP_RUNS_MORE &&
		    demand_arc(s, on, all, WEIGHT_LOOP, WEIGHT_LOOP))
			return -1;
		if (s->loops[i] == LOOP_LEFT_MORE &&
		    demand_arc(s, out, s->flows[on] / l->times, WEIGHT_LEFT, WEIGHT_LEFT))
			return -1;
	}
	return 0;
}

/* The block behind the entry, which is in no loop in gcc's graphs as a rule: how often gcc guesses
 * that it is left, less what comes back to it. */
static double guessed_entries(const struct solving *s)
{
	const struct gcc_guess *g;
	uint32_t first = NOTES_NONE;
	double sum = 0;

	for (uint32_t i = s->first[0]; i < s->first[1]; i++)
		if (!(s->graph->arcs.items[s->leaving[i]].flags & GCC_ARC_FAKE))
			first = s->graph->arcs.items[s->leaving[i]].to;
	vector_each (&s->graph->guesses, g)
		sum += (g->from == first) * (double)g->count - (g->to == first) * (double)g->count;
	return sum;
}

/* Each arc's demand is what gcc guesses, of that many entries. */
static int demand_guessed_counts(struct solving *s)
{
	double entries = guessed_entries(s), most = (double)s->i->guess_most;
	const struct gcc_guess *g;

	if (entries < 1)
		return 0;
	vector_each (&s->graph->guesses, g)
		for (uint32_t i = s->first[g->from]; i < s->first[g->from + 1]; i++) {
			const struct gcc_arc *a = &s->graph->arcs.items[s->leaving[i]];
			double count = (double)g->count / entries * (double)s->i->entries;

			if (a->to != g->to || a->flags & GCC_ARC_FAKE)
				continue;
			if (demand_arc(s, s->leaving[i], (uint64_t)(count < most ? count : most), 1,
				       1))
				return -1;
		}
	return 0;
}

static int solve(struct solving *s)
{
	for (unsigned pass = 0; pass < PASSES; pass++) {
		int rc;

		if (lay_out(s) || take_constraints(s) ||
		    (s->i->guess_most && demand_guessed_counts(s)) ||
		    (pass && (share_out_sums(s) || demand_guesses(s))) ||
		    (pass && !s->i->guess_most && demand_loops(s)))
			return -1;
		rc = circulation_solve(&s->c, WORK);
		if (rc)
			return rc;
		for (size_t i = 0; i < s->graph->arcs.count; i++)
			s->flows[i] = s->c.arcs.items[i].flow;
		instance_arcs_blocks(s->graph, s->flows, s->blocks);
	}
	return 0;
}

int instance_arcs_solve(const struct instance_arcs *i, uint64_t *flows)
{
	struct solving s = {.i = i, .graph = i->f->graph, .flows = flows};
	int rc = -1;

	if (s.graph->block_count < 2) /* no entry and exit */
		return 1;
	s.blocks = memory_alloc_array(s.graph->block_count + 1u, sizeof(*s.blocks));
	s.all_fake = memory_alloc_array(s.graph->block_count + 1u, sizeof(*s.all_fake));
	s.first = memory_alloc_array(s.graph->block_count + 2u, sizeof(*s.first));
	s.leaving = memory_alloc_array(s.graph->arcs.count + 1, sizeof(*s.leaving));
	s.loops = memory_alloc_array(s.graph->loops.count + 1, sizeof(*s.loops));
	if (s.blocks && s.all_fake && s.first && s.leaving && s.loops) {
		sort_arcs(&s);
		rc = solve(&s);
	}
	memory_free(s.blocks);
	memory_free(s.first);
	memory_free(s.leaving);
	memory_free(s.all_fake);
	memory_free(s.loops);
	circulation_deinit(&s.c);
	return rc;
}
