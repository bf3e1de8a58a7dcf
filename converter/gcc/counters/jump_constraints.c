/* SPDX-License-Identifier: MIT */
/*
 * Constraints by jumps. A conditional jump that was made from the condition of a block with two
 * successors tells how often each of the two arcs was taken, once it is known which of them the
 * jump takes. That follows from the statements at the jump's two ends, and from those of the two
 * successors. Of computed gotos the count of each label is exact, except where labels' code was
 * merged.
 */
#include "converter/gcc/counters/constraints.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define JOINT_CONDITIONS_MOST 8

struct joint_conditions {
	uint32_t blocks[JOINT_CONDITIONS_MOST]; /* that they end, in order */
	uint32_t arcs[JOINT_CONDITIONS_MOST];	/* from each to the next one */
	size_t count;
};

/*
 * Conditions that the compiler tests by one jump: those of `a && b`, `a || b`, or of nested ones.
 * Each leads to the next one, or to a place that is the same for all.
 */

/* Has the machine block that ends with the jump a statement of @block? */
static bool is_behind(const struct successors *w, const struct attributions *o,
		      const struct attributed_jump *j, uint32_t block)
{
	const struct attributed_instruction *i, *all = o->code.items;
	size_t at = vector_count_while(&o->code, i, i->address < j->address);
	uint32_t machine;

	if (at == o->code.count || all[at].address != j->address)
		return false;
	machine = all[at].block;
	for (at++; at && all[at - 1].block == machine; at--)
		if (notes_function_is_in(w->f, all[at - 1].place, block))
			return true;
	return false;
}

static bool has_jump(const struct attributions *o, const struct attributed_jump *j,
		     const struct notes_place *condition)
{
	const struct attributed_function *f = &o->functions.items[j->function];

	for (size_t i = f->first_jump; i < f->first_jump + f->jumps; i++)
		if (o->jumps.items[i].context == j->context &&
		    notes_place_is(&o->jumps.items[i].place, condition))
			return true;
	return false;
}

/* Is the condition of @block tested by the jump, which is made from that of @own? */
static bool is_tested(const struct successors *w, const struct attributions *o,
		      const struct attributed_jump *j, uint32_t own, uint32_t block)
{
	return block == own ||
	       (block < w->f->blocks.count && w->f->blocks.items[block].condition.line &&
		is_behind(w, o, j, block) && !has_jump(o, j, &w->f->blocks.items[block].condition));
}

/* The arc by which @from goes on to @to, if its other way is one of @to's, and only @from leads to
 * @to; else NOTES_NONE. */
static uint32_t arc_on(const struct successors *w, uint32_t from, uint32_t to)
{
	uint32_t arcs[2], next[2];

	if (w->arrivals.items[to] != 1 || !successors_both(w, from, arcs) ||
	    !successors_both(w, to, next))
		return NOTES_NONE;
	for (size_t i = 0; i < 2; i++)
		if (successors_to(w, arcs[i]) == to &&
		    successors_lead(w, to, successors_to(w, arcs[!i])))
			return arcs[i];
	return NOTES_NONE;
}

/* All that @j tests, which is made from the condition of @block: that one alone as a rule. */
static void joint_conditions_find(struct joint_conditions *c, const struct successors *w,
				  const struct attributions *o, const struct attributed_jump *j,
				  uint32_t block)
{
	uint32_t own = block;
	bool more = true;

	for (size_t i = 1; i < JOINT_CONDITIONS_MOST; i++) {
		uint32_t from = w->arrivals.items[block] ? w->before.items[block] : NOTES_NONE;

		if (from == NOTES_NONE || arc_on(w, from, block) == NOTES_NONE ||
		    !is_tested(w, o, j, own, from))
			break;
		block = from;
	}
	c->blocks[0] = block;
	for (c->count = 1; more && c->count < JOINT_CONDITIONS_MOST;) {
		uint32_t arcs[2];

		more = false;
		for (size_t i = 0; successors_both(w, block, arcs) && i < 2 && !more; i++) {
			uint32_t to = successors_to(w, arcs[i]);

			if (arc_on(w, block, to) == NOTES_NONE || !is_tested(w, o, j, own, to))
				continue;
			c->arcs[c->count - 1] = arcs[i];
			c->blocks[c->count++] = block = to;
			more = true;
		}
	}
}

static uint64_t last_of(const struct attributions *o, uint64_t address)
{
	size_t n;
	const struct attributed_instruction *code = attributions_code_at(o, address, &n);

	return code ? code[n - 1].address : 0;
}

/* How often the jump goes on to another one of the same place, which tests the rest of them. False
 * if it does not. */
static bool joint_conditions_go_on(const struct attributions *o, const struct attributed_jump *j,
				   uint64_t *times)
{
	const struct attributed_function *f = &o->functions.items[j->function];
	uint64_t next = last_of(o, j->next), target = last_of(o, j->target);

	for (size_t i = f->first_jump; i < f->first_jump + f->jumps; i++) {
		const struct attributed_jump *other = &o->jumps.items[i];

		if (other->context != j->context || other->address == j->address ||
		    !notes_place_is(&other->place, &j->place) ||
		    (other->address != next && other->address != target))
			continue;
		*times = other->address == next ? j->not_taken : j->taken;
		return true;
	}
	return false;
}

/* The one of the last condition's two arcs that the one before it has no like of. */
static uint32_t joint_conditions_last(const struct joint_conditions *c, const struct successors *w)
{
	uint32_t arcs[2] = {0};

	successors_both(w, c->blocks[c->count - 1], arcs);
	return arcs[successors_lead(w, c->blocks[c->count - 2], successors_to(w, arcs[0]))];
}

/* All of them hold @on of @all times, and nothing says which does not: by its share each holds as
 * often as the others. How often the arc behind condition @i is gone. */
static uint64_t joint_conditions_times(const struct joint_conditions *c, size_t i, uint64_t all,
				       uint64_t on)
{
	double share = all ? (double)on / (double)all : 0;

	return (uint64_t)((double)all * pow(share, (double)(i + 1) / (double)c->count));
}

/* Blocks without statements are passed on the way to one that has some, so many at most. */
#define EMPTY_BLOCKS 4
/* Statements of a machine block that are looked at. */
#define LOOKED_AT 64

void jump_constraints_deinit(struct jump_constraints *v)
{
	vector_deinit(&v->items);
	vector_deinit(&v->of_arc);
	successors_deinit(&v->ways);
}

int jump_constraints_init(struct jump_constraints *v, const struct notes_function *f)
{
	size_t arcs = f->graph->arcs.count;

	if (successors_init(&v->ways, f) || vector_reserve(&v->of_arc, arcs + 1))
		return -1;
	memset(v->of_arc.items, 0, arcs * sizeof(*v->of_arc.items));
	return 0;
}

/* The block whose condition the jump was made from; NOTES_NONE if that is not clear. */
static uint32_t block_of(const struct notes_function *f, const struct attributed_jump *j)
{
	const struct notes_at *at;
	size_t n;

	at = notes_function_at(f, j->place, &n);
	if (n > 1) {
		if (j->discriminator == ATTRIBUTION_NO_DISCRIMINATOR)
			return NOTES_NONE;
		at = notes_function_at_exactly(f, j->place, j->discriminator, &n);
	}
	if (n != 1 || at->block >= f->blocks.count ||
	    !notes_place_is(&f->blocks.items[at->block].condition, &j->place))
		return NOTES_NONE;
	return at->block;
}

/* The first block with statements that @arc leads to. */
static uint32_t led_to(const struct jump_constraints *v, uint32_t arc)
{
	uint32_t block = v->ways.f->graph->arcs.items[arc].to, next;
	size_t count;

	for (unsigned i = 0; i < EMPTY_BLOCKS && !v->ways.stated.items[block]; i++) {
		if (!successors_out(&v->ways, block, &next, 1, &count) || !count)
			break;
		block = v->ways.f->graph->arcs.items[next].to;
	}
	return block;
}

/* In the function that has @context: where the instruction's code, or the call that it was inlined
 * by, stands. False if it is of another context. */
static bool place_in(const struct notes_function *f, const struct attributions *o, uint32_t context,
		     const struct attributed_instruction *code, struct notes_place *site)
{
	const struct context *all = o->contexts.items.items;
	uint32_t at = code->context;

	if (at == context) {
		*site = code->place;
		return true;
	}
	while (at != CONTEXT_NONE && all[at].parent != context)
		at = all[at].parent;
	if (at == CONTEXT_NONE)
		return false;
	*site = (struct notes_place){f->file, all[at].line, all[at].column};
	return true;
}

/* The vote of a place of @block at one end of a jump: 2 if a single arc leads to the block, else
 * @joined, since the compiler may put a block behind both arcs at either end. */
static int place_vote(const struct jump_constraints *v, struct notes_place place, uint32_t block,
		      int joined)
{
	if (!notes_function_is_in(v->ways.f, place, block))
		return 0;
	return v->ways.arrivals.items[block] > 1 ? joined : 2;
}

/* The vote of the machine code at @address on which block it is of: above 0 for @one, below 0 for
 * @other. Each place counts once; places of blocks with several predecessors count @joined. */
static int successor_vote(const struct jump_constraints *v, const struct attributions *o,
			  uint32_t context, uint64_t address, uint32_t one, uint32_t other,
			  int joined)
{
	const struct notes_function *f = v->ways.f;
	struct notes_place seen[LOOKED_AT];
	const struct attributed_instruction *code;
	size_t n, kinds = 0;
	int sum = 0;

	code = attributions_code_at(o, address, &n);
	for (size_t i = 0; i < n; i++) {
		struct notes_place places[2] = {code[i].place};
		size_t count = 1;

		count += place_in(f, o, context, &code[i], &places[1]);
		for (size_t p = 0; p < count && kinds < LOOKED_AT; p++) {
			size_t k = 0;

			while (k < kinds && !notes_place_is(&seen[k], &places[p]))
				k++;
			if (k < kinds || !places[p].line)
				continue;
			seen[kinds++] = places[p];
			sum += place_vote(v, places[p], one, joined) -
			       place_vote(v, places[p], other, joined);
		}
	}
	return sum;
}

static bool is_known(const struct attributions *o, uint64_t address)
{
	size_t n;

	return attributions_code_at(o, address, &n);
}

static int add_jump_count(struct jump_constraints *v, uint32_t arc, uint32_t block, uint64_t count)
{
	uint32_t *known = &v->of_arc.items[arc];

	if (*known) {
		v->items.items[*known - 1].count += count;
		return 0;
	}
	if (vector_add(&v->items, (struct jump_count){arc, block, count}))
		return -1;
	*known = (uint32_t)v->items.count;
	return 0;
}

/* Does the machine block at @address go on to @to, whatever happens? */
static bool goes_on_to(const struct attributions *o, uint64_t address, uint64_t to)
{
	const struct attributed_instruction *code, *end = vector_at(&o->code, o->code.count);
	size_t n;

	code = attributions_code_at(o, address, &n);
	if (!code)
		return false;
	if (code[n - 1].jumps_to)
		return code[n - 1].jumps_to == to;
	return code + n < end && code[n].address == to;
}

/* Where the machine block at @address goes on if none of its conditions holds; 0 = not known. */
static uint64_t follows(const struct attributions *o, uint64_t address)
{
	const struct attributed_instruction *code, *end = vector_at(&o->code, o->code.count);
	size_t n;

	code = attributions_code_at(o, address, &n);
	if (!code)
		return 0;
	if (code[n - 1].jumps_to == ATTRIBUTED_ELSEWHERE)
		return 0;
	if (code[n - 1].jumps_to && code[n - 1].jumps_to != ATTRIBUTED_SEVERAL)
		return code[n - 1].jumps_to;
	return code + n < end ? code[n].address : 0;
}

/* The vote of the machine code that follows both ends of the jump: where the compiler made the next
 * condition twice, the code of an arm is behind it. */
static int successor_vote_behind(const struct jump_constraints *v, const struct attributions *o,
				 const struct attributed_jump *j, uint32_t first, uint32_t second)
{
	uint64_t taken = follows(o, j->target), fallen = follows(o, j->next);
	int score = 0;

	if (taken == fallen)
		return 0;
	if (taken && taken != j->next)
		score += successor_vote(v, o, j->context, taken, first, second, 0);
	if (fallen && fallen != j->target)
		score -= successor_vote(v, o, j->context, fallen, first, second, 0);
	return score;
}

/* Is the block that @arc leads to left for where @other leads only? */
static bool is_arm(const struct jump_constraints *v, uint32_t arc, uint32_t other)
{
	uint32_t next;
	size_t count;

	return successors_out(&v->ways, successors_to(&v->ways, arc), &next, 1, &count) && count &&
	       successors_to(&v->ways, next) == successors_to(&v->ways, other);
}

/* A condition with one arm, whose statements are not seen (it only chooses values, or they were
 * moved): in machine code, too, one way comes back to the other. 1: the jump takes the first way;
 * -1: the second; 0: not known. */
static int arm_score(const struct jump_constraints *v, const struct attributions *o,
		     const struct attributed_jump *j, const uint32_t *arcs)
{
	bool first = is_arm(v, arcs[0], arcs[1]), second = is_arm(v, arcs[1], arcs[0]);
	bool taken = goes_on_to(o, j->target, j->next), fallen = goes_on_to(o, j->next, j->target);

	if (first == second || taken == fallen)
		return 0;
	return first == taken ? 1 : -1;
}

/* The jump tests several conditions. @times: how often all of them hold. */
static int add_joint(struct jump_constraints *v, const struct joint_conditions *c, uint64_t all,
		     uint64_t times)
{
	for (size_t i = 0; i + 1 < c->count; i++)
		if (add_jump_count(v, c->arcs[i], c->blocks[i],
				   joint_conditions_times(c, i, all, times)))
			return -1;
	return 0;
}

/* Which of the two arcs that leave @block does the jump take? 1: the first; -1: the other one; 0:
 * not known. */
static int score_of(const struct jump_constraints *v, const struct attributions *o,
		    const struct attributed_jump *j, const uint32_t arcs[2])
{
	uint32_t first = led_to(v, arcs[0]), second = led_to(v, arcs[1]);
	int score = successor_vote(v, o, j->context, j->target, first, second, 1) -
		    successor_vote(v, o, j->context, j->next, first, second, 1) +
		    successor_vote_behind(v, o, j, first, second);

	return score ? (score > 0) - (score < 0) : arm_score(v, o, j, arcs);
}

int jump_constraints_add(struct jump_constraints *v, const struct attributions *o,
			 const struct attributed_jump *j)
{
	uint32_t block = block_of(v->ways.f, j), arcs[2];
	struct joint_conditions joint;
	uint64_t times, counts[2];
	int score;

	if (block == NOTES_NONE || !successors_both(&v->ways, block, arcs) ||
	    !is_known(o, j->target) || !is_known(o, j->next))
		return 0;
	joint_conditions_find(&joint, &v->ways, o, j, block);
	if (joint.count > 1 && joint_conditions_go_on(o, j, &times))
		return add_joint(v, &joint, times, times);
	block = joint.blocks[joint.count - 1];
	successors_both(&v->ways, block, arcs);
	score = score_of(v, o, j, arcs);
	if (!score)
		return 0;
	counts[0] = score > 0 ? j->taken : j->not_taken;
	counts[1] = score > 0 ? j->not_taken : j->taken;
	if (joint.count > 1) {
		size_t last = joint_conditions_last(&joint, &v->ways) == arcs[1];

		return add_joint(v, &joint, counts[0] + counts[1], counts[last]) ||
				       add_jump_count(v, arcs[last], block, counts[last])
			       ? -1
			       : 0;
	}
	return add_jump_count(v, arcs[0], block, counts[0]) ||
			       add_jump_count(v, arcs[1], block, counts[1])
		       ? -1
		       : 0;
}

uint64_t jump_constraints_sum(const struct jump_constraints *v, uint32_t block)
{
	uint64_t sum = 0;

	for (uint32_t i = v->ways.first.items[block]; i < v->ways.first.items[block + 1]; i++) {
		uint32_t known = v->of_arc.items[v->ways.arcs.items[i]];

		sum += known ? v->items.items[known - 1].count : 0;
	}
	return sum;
}

#define WEIGHT_GOTO  10.0
#define WEIGHT_LABEL 10.0
/* A label may have another one's count; one without code of its own has lost its own. */
#define WEIGHT_MERGED 2.0
#define WEIGHT_ABSENT 0.5

/* The computed gotos of one function. */
struct gotos {
	const struct notes_function *f;
	const struct attributions *all;
	uint64_t sum; /* of all its gotos */
	/* by block */
	uint32_t *arc_of; /* the arc that stands for those to the label; NOTES_NONE = it is none */
	double *score;	  /* of the code that label_at looks at */
	uint64_t *counts; /* of the gotos to the label */
	bool *present;	  /* the label has code of its own */
};

/* The label that the code at @address is of: the one that most of its statements name, each shared
 * out among the labels that have it. NOTES_NONE if none does. */
static uint32_t label_at(struct gotos *g, uint64_t address)
{
	const struct notes_function *f = g->f;
	double *score = g->score;
	const struct attributed_instruction *code;
	uint32_t best = NOTES_NONE;
	size_t n, blocks = f->graph->block_count;

	memset(score, 0, blocks * sizeof(*score));
	code = attributions_code_at(g->all, address, &n);
	if (!code)
		return NOTES_NONE;
	for (size_t i = 0; i < n; i++) {
		const struct notes_at *at;
		size_t several;

		at = notes_function_at(f, code[i].place, &several);
		for (size_t k = 0; k < several; k++)
			if (g->arc_of[at[k].block] != NOTES_NONE)
				score[at[k].block] += 1.0 / (double)several;
	}
	for (uint32_t b = 0; b < blocks; b++)
		if (score[b] > 0 && (best == NOTES_NONE || score[b] > score[best]))
			best = b;
	return best;
}

/* Find the labels that have code of their own: the code of the others was merged with theirs. */
static void find_present(struct gotos *g)
{
	const struct attributions *o = g->all;
	uint32_t last = NOTES_NONE, label;
	size_t n;

	for (size_t i = 0; i < o->code.count; i++) {
		const struct attributed_instruction *code = &o->code.items[i];

		if (code->block == last)
			continue;
		last = code->block;
		notes_function_at(g->f, code->place, &n);
		if (!n)
			continue;
		label = label_at(g, code->address);
		if (label != NOTES_NONE)
			g->present[label] = true;
	}
}

/* How often control went to each label, and in all. */
static void count_gotos(struct gotos *g, const struct attributed_function *seen)
{
	for (size_t i = 0; i < seen->gotos; i++) {
		const struct attributed_goto *one = &g->all->gotos.items[seen->first_goto + i];
		uint32_t label = label_at(g, one->target);

		g->sum += one->count;
		if (label != NOTES_NONE)
			g->counts[label] += one->count;
	}
}

static int gotos_init(struct gotos *g)
{
	size_t blocks = g->f->graph->block_count;
	const struct gcc_arc *a;

	g->arc_of = memory_alloc_array(blocks + 1, sizeof(*g->arc_of));
	g->score = memory_alloc_array(blocks + 1, sizeof(*g->score));
	g->counts = memory_alloc_array(blocks + 1, sizeof(*g->counts));
	g->present = memory_alloc_array(blocks + 1, sizeof(*g->present));
	if (!g->arc_of || !g->score || !g->counts || !g->present)
		return -1;
	for (size_t b = 0; b < blocks; b++)
		g->arc_of[b] = NOTES_NONE;
	/* arcs from the entry stand for those from the goto to its labels */
	vector_each (&g->f->graph->arcs, a)
		if (!a->from && a->flags & GCC_ARC_FAKE)
			g->arc_of[a->to] = (uint32_t)(a - g->f->graph->arcs.items);
	return 0;
}

/* The constraints on one block: it holds the goto, or is a label, or neither. */
static int constrain_block(const struct gotos *g, uint32_t b, struct constraints *out)
{
	const struct notes_function *f = g->f;

	if (b < f->blocks.count && f->blocks.items[b].computed_goto &&
	    constraints_add(out, CIRCULATION_NODE + b, g->sum, WEIGHT_GOTO, WEIGHT_GOTO))
		return -1;
	if (g->arc_of[b] == NOTES_NONE)
		return 0;
	return constraints_add(out, g->arc_of[b], g->counts[b], WEIGHT_MERGED,
			       g->present[b] ? WEIGHT_LABEL : WEIGHT_ABSENT);
}

int jump_constraints_add_gotos(const struct notes_index *keys, const struct attributions *o,
			       uint32_t function, struct constraints *out)
{
	struct gotos g = {.f = &keys->functions.items[function], .all = o};
	int rc = gotos_init(&g);

	if (rc)
		goto out;
	count_gotos(&g, &o->functions.items[function]);
	if (!g.sum)
		goto out;
	find_present(&g);
	for (uint32_t b = 0; b < g.f->graph->block_count && !rc; b++)
		rc = constrain_block(&g, b, out);
out:
	memory_free(g.arc_of);
	memory_free(g.score);
	memory_free(g.counts);
	memory_free(g.present);
	return rc;
}
