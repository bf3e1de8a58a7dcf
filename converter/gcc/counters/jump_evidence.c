/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/jump_evidence.h"

#include <string.h>

#include "base/memory.h"
#include "converter/gcc/counters/joint_conditions.h"

/* Blocks without statements are passed on the way to one that has some, so many at most. */
#define EMPTY_BLOCKS 4
/* Statements of a machine block that are looked at. */
#define LOOKED_AT 64

void jump_evidence_deinit(struct jump_evidence *v)
{
	vector_deinit(&v->items);
	vector_deinit(&v->of_arc);
	ways_deinit(&v->ways);
}

int jump_evidence_init(struct jump_evidence *v, const struct key_function *f)
{
	size_t arcs = f->graph->arcs.count;

	if (ways_init(&v->ways, f) || vector_reserve(&v->of_arc, arcs + 1))
		return -1;
	memset(v->of_arc.items, 0, arcs * sizeof(*v->of_arc.items));
	return 0;
}

/* The block whose condition the jump was made from; KEY_NONE if that is not clear. */
static uint32_t block_of(const struct key_function *f, const struct observed_jump *j)
{
	const struct key_at *at;
	size_t n;

	at = key_function_at(f, j->place, &n);
	if (n > 1) {
		if (j->discriminator == OBSERVATION_NO_DISCRIMINATOR)
			return KEY_NONE;
		at = key_function_at_exactly(f, j->place, j->discriminator, &n);
	}
	if (n != 1 || at->block >= f->blocks.count ||
	    !key_place_is(&f->blocks.items[at->block].condition, &j->place))
		return KEY_NONE;
	return at->block;
}

/* The first block with statements that @arc leads to. */
static uint32_t led_to(const struct jump_evidence *v, uint32_t arc)
{
	uint32_t block = v->ways.f->graph->arcs.items[arc].to, next;
	size_t count;

	for (unsigned i = 0; i < EMPTY_BLOCKS && !v->ways.stated.items[block]; i++) {
		if (!ways_out(&v->ways, block, &next, 1, &count) || !count)
			break;
		block = v->ways.f->graph->arcs.items[next].to;
	}
	return block;
}

/* In the function that has @context: where the instruction's code, or the call that it was inlined
 * by, stands. False if it is of another context. */
static bool place_in(const struct key_function *f, const struct observations *o, uint32_t context,
		     const struct observed_instruction *code, struct key_place *site)
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
	*site = (struct key_place){f->file, all[at].line, all[at].column};
	return true;
}

/* What a place of @block at one end of a jump says: much if that is the only way there, for the
 * compiler may have a block behind both ways at either. */
static int says(const struct jump_evidence *v, struct key_place place, uint32_t block, int joined)
{
	if (!key_function_is_in(v->ways.f, place, block))
		return 0;
	return v->ways.arrivals.items[block] > 1 ? joined : 2;
}

/* By how much the places of the machine code at @address are of @one rather than of @other; those
 * of blocks that are come to from several ones count @joined. */
static int leaning(const struct jump_evidence *v, const struct observations *o, uint32_t context,
		   uint64_t address, uint32_t one, uint32_t other, int joined)
{
	const struct key_function *f = v->ways.f;
	struct key_place seen[LOOKED_AT];
	const struct observed_instruction *code;
	size_t n, kinds = 0;
	int sum = 0;

	code = observations_code_at(o, address, &n);
	for (size_t i = 0; i < n; i++) {
		struct key_place places[2] = {code[i].place};
		size_t count = 1;

		count += place_in(f, o, context, &code[i], &places[1]);
		for (size_t p = 0; p < count && kinds < LOOKED_AT; p++) {
			size_t k = 0;

			while (k < kinds && !key_place_is(&seen[k], &places[p]))
				k++;
			if (k < kinds || !places[p].line)
				continue;
			seen[kinds++] = places[p];
			sum += says(v, places[p], one, joined) - says(v, places[p], other, joined);
		}
	}
	return sum;
}

static bool is_known(const struct observations *o, uint64_t address)
{
	size_t n;

	return observations_code_at(o, address, &n);
}

static int add(struct jump_evidence *v, uint32_t arc, uint32_t block, uint64_t count)
{
	uint32_t *known = &v->of_arc.items[arc];
	struct jump_count *one;

	if (*known) {
		v->items.items[*known - 1].count += count;
		return 0;
	}
	one = vector_push(&v->items);
	if (!one)
		return -1;
	*one = (struct jump_count){arc, block, count};
	*known = (uint32_t)v->items.count;
	return 0;
}

/* Does the machine block at @address go on to @to, whatever happens? */
static bool goes_on_to(const struct observations *o, uint64_t address, uint64_t to)
{
	const struct observed_instruction *code, *end = o->code.items + o->code.count;
	size_t n;

	code = observations_code_at(o, address, &n);
	if (!code)
		return false;
	if (code[n - 1].jumps_to)
		return code[n - 1].jumps_to == to;
	return code + n < end && code[n].address == to;
}

/* Where the machine block at @address goes on if none of its conditions holds; 0 = not known. */
static uint64_t follows(const struct observations *o, uint64_t address)
{
	const struct observed_instruction *code, *end = o->code.items + o->code.count;
	size_t n;

	code = observations_code_at(o, address, &n);
	if (!code)
		return 0;
	if (code[n - 1].jumps_to == OBSERVED_ELSEWHERE)
		return 0;
	if (code[n - 1].jumps_to && code[n - 1].jumps_to != OBSERVED_SEVERAL)
		return code[n - 1].jumps_to;
	return code + n < end ? code[n].address : 0;
}

/* The same of what follows both ends: where the compiler has the next condition twice, an arm is
 * behind it. */
static int leaning_behind(const struct jump_evidence *v, const struct observations *o,
			  const struct observed_jump *j, uint32_t first, uint32_t second)
{
	uint64_t taken = follows(o, j->target), fallen = follows(o, j->next);
	int score = 0;

	if (taken == fallen)
		return 0;
	if (taken && taken != j->next)
		score += leaning(v, o, j->context, taken, first, second, 0);
	if (fallen && fallen != j->target)
		score -= leaning(v, o, j->context, fallen, first, second, 0);
	return score;
}

/* Is the block that @arc leads to left for where @other leads only? */
static bool is_arm(const struct jump_evidence *v, uint32_t arc, uint32_t other)
{
	uint32_t next;
	size_t count;

	return ways_out(&v->ways, ways_to(&v->ways, arc), &next, 1, &count) && count &&
	       ways_to(&v->ways, next) == ways_to(&v->ways, other);
}

/* A condition with one arm, whose statements are not seen (it only chooses values, or they were
 * moved): in machine code, too, one way comes back to the other. 1: the jump takes the first way;
 * -1: the second; 0: not known. */
static int arm_score(const struct jump_evidence *v, const struct observations *o,
		     const struct observed_jump *j, const uint32_t *arcs)
{
	bool first = is_arm(v, arcs[0], arcs[1]), second = is_arm(v, arcs[1], arcs[0]);
	bool taken = goes_on_to(o, j->target, j->next), fallen = goes_on_to(o, j->next, j->target);

	if (first == second || taken == fallen)
		return 0;
	return first == taken ? 1 : -1;
}

/* The jump tests several conditions. @times: how often all of them hold. */
static int add_joint(struct jump_evidence *v, const struct joint_conditions *c, uint64_t all,
		     uint64_t times)
{
	for (size_t i = 0; i + 1 < c->count; i++)
		if (add(v, c->arcs[i], c->blocks[i], joint_conditions_times(c, i, all, times)))
			return -1;
	return 0;
}

/* Which of the two arcs that leave @block does the jump take? 1: the first; -1: the other one; 0:
 * not known. */
static int score_of(const struct jump_evidence *v, const struct observations *o,
		    const struct observed_jump *j, const uint32_t arcs[2])
{
	uint32_t first = led_to(v, arcs[0]), second = led_to(v, arcs[1]);
	int score = leaning(v, o, j->context, j->target, first, second, 1) -
		    leaning(v, o, j->context, j->next, first, second, 1) +
		    leaning_behind(v, o, j, first, second);

	return score ? (score > 0) - (score < 0) : arm_score(v, o, j, arcs);
}

int jump_evidence_add(struct jump_evidence *v, const struct observations *o,
		      const struct observed_jump *j)
{
	uint32_t block = block_of(v->ways.f, j), arcs[2];
	struct joint_conditions joint;
	uint64_t times, counts[2];
	int score;

	if (block == KEY_NONE || !ways_both(&v->ways, block, arcs) || !is_known(o, j->target) ||
	    !is_known(o, j->next))
		return 0;
	joint_conditions_find(&joint, &v->ways, o, j, block);
	if (joint.count > 1 && joint_conditions_go_on(o, j, &times))
		return add_joint(v, &joint, times, times);
	block = joint.blocks[joint.count - 1];
	ways_both(&v->ways, block, arcs);
	score = score_of(v, o, j, arcs);
	if (!score)
		return 0;
	counts[0] = score > 0 ? j->taken : j->not_taken;
	counts[1] = score > 0 ? j->not_taken : j->taken;
	if (joint.count > 1) {
		size_t last = joint_conditions_last(&joint, &v->ways) == arcs[1];

		return add_joint(v, &joint, counts[0] + counts[1], counts[last]) ||
				       add(v, arcs[last], block, counts[last])
			       ? -1
			       : 0;
	}
	return add(v, arcs[0], block, counts[0]) || add(v, arcs[1], block, counts[1]) ? -1 : 0;
}

uint64_t jump_evidence_sum(const struct jump_evidence *v, uint32_t block)
{
	uint64_t sum = 0;

	for (uint32_t i = v->ways.first.items[block]; i < v->ways.first.items[block + 1]; i++) {
		uint32_t known = v->of_arc.items[v->ways.arcs.items[i]];

		sum += known ? v->items.items[known - 1].count : 0;
	}
	return sum;
}
