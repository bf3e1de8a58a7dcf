/* SPDX-License-Identifier: MIT */
#include "converter/counters/jump_evidence.h"

#include <string.h>

#include "base/memory.h"

/* Blocks without statements are passed on the way to one that has some, so many at most. */
#define EMPTY_BLOCKS 4
/* Statements of a machine block that are looked at. */
#define LOOKED_AT 64

void jump_evidence_deinit(struct jump_evidence *v)
{
	vector_deinit(&v->items);
	vector_deinit(&v->first);
	vector_deinit(&v->ways);
	vector_deinit(&v->stated);
	vector_deinit(&v->of_arc);
	vector_deinit(&v->arrivals);
	v->f = NULL;
}

int jump_evidence_init(struct jump_evidence *v, const struct key_function *f)
{
	size_t blocks = f->graph->block_count, arcs = f->graph->arcs.count;
	const struct gcc_arc *a;
	const struct key_at *at;

	v->f = f;
	if (vector_reserve(&v->first, blocks + 2) || vector_reserve(&v->ways, arcs + 1) ||
	    vector_reserve(&v->stated, blocks + 1) || vector_reserve(&v->of_arc, arcs + 1) ||
	    vector_reserve(&v->arrivals, blocks + 1))
		return -1;
	memset(v->first.items, 0, (blocks + 2) * sizeof(*v->first.items));
	memset(v->stated.items, 0, blocks * sizeof(*v->stated.items));
	memset(v->of_arc.items, 0, arcs * sizeof(*v->of_arc.items));
	memset(v->arrivals.items, 0, blocks * sizeof(*v->arrivals.items));
	/* those of block b are counted in first[b + 2], and put to where first[b + 1] then is */
	vector_each (&f->graph->arcs, a)
		if (!(a->flags & GCC_ARC_FAKE)) {
			v->first.items[a->from + 2]++;
			v->arrivals.items[a->to]++;
		}
	for (size_t b = 0; b < blocks; b++)
		v->first.items[b + 2] += v->first.items[b + 1];
	for (uint32_t i = 0; i < arcs; i++)
		if (!(f->graph->arcs.items[i].flags & GCC_ARC_FAKE))
			v->ways.items[v->first.items[f->graph->arcs.items[i].from + 1]++] = i;
	vector_each (&f->at, at)
		v->stated.items[at->block] = true;
	return 0;
}

static bool same_place(const struct key_place *a, const struct key_place *b)
{
	return a->file == b->file && a->line == b->line && a->column == b->column;
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
	    !same_place(&f->blocks.items[at->block].condition, &j->place))
		return KEY_NONE;
	return at->block;
}

/* The arcs by which @block is left, without fake ones: false unless there are @most or fewer. */
static bool ways_out(const struct jump_evidence *v, uint32_t block, uint32_t *ways, size_t most,
		     size_t *count)
{
	uint32_t first = v->first.items[block];

	*count = v->first.items[block + 1] - first;
	if (*count > most)
		return false;
	for (size_t i = 0; i < *count; i++)
		ways[i] = v->ways.items[first + i];
	return true;
}

/* The first block with statements that @arc leads to. */
static uint32_t led_to(const struct jump_evidence *v, uint32_t arc)
{
	uint32_t block = v->f->graph->arcs.items[arc].to, next;
	size_t count;

	for (unsigned i = 0; i < EMPTY_BLOCKS && !v->stated.items[block]; i++) {
		if (!ways_out(v, block, &next, 1, &count) || !count)
			break;
		block = v->f->graph->arcs.items[next].to;
	}
	return block;
}

static bool is_in(const struct key_function *f, struct key_place place, uint32_t block)
{
	const struct key_at *at;
	size_t n;

	at = key_function_at(f, place, &n);
	for (size_t i = 0; i < n; i++)
		if (at[i].block == block)
			return true;
	return false;
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
	if (!is_in(v->f, place, block))
		return 0;
	return v->arrivals.items[block] > 1 ? joined : 2;
}

/* By how much the places of the machine code at @address are of @one rather than of @other; those
 * of blocks that are come to from several ones count @joined. */
static int leaning(const struct jump_evidence *v, const struct observations *o, uint32_t context,
		   uint64_t address, uint32_t one, uint32_t other, int joined)
{
	const struct key_function *f = v->f;
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

			while (k < kinds && !same_place(&seen[k], &places[p]))
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

/* Is the block that @arc leads to without statements, and left for where @other leads only? */
static bool is_empty_arm(const struct jump_evidence *v, uint32_t arc, uint32_t other)
{
	const struct gcc_arc *arcs = v->f->graph->arcs.items;
	uint32_t next;
	size_t count;

	return !v->stated.items[arcs[arc].to] && ways_out(v, arcs[arc].to, &next, 1, &count) &&
	       count && arcs[next].to == arcs[other].to;
}

/* A condition with one arm, which has no statement of its own (it only chooses values): in machine
 * code, too, one way comes back to the other. 1: the jump takes the first way; -1: the second; 0:
 * not known. */
static int arm_score(const struct jump_evidence *v, const struct observations *o,
		     const struct observed_jump *j, const uint32_t *ways)
{
	bool first = is_empty_arm(v, ways[0], ways[1]), second = is_empty_arm(v, ways[1], ways[0]);
	bool taken = goes_on_to(o, j->target, j->next), fallen = goes_on_to(o, j->next, j->target);

	if (first == second || taken == fallen)
		return 0;
	return first == taken ? 1 : -1;
}

int jump_evidence_add(struct jump_evidence *v, const struct observations *o,
		      const struct observed_jump *j)
{
	const struct key_function *f = v->f;
	uint32_t block = block_of(f, j), ways[2], first, second;
	size_t count;
	int score;

	if (block == KEY_NONE || !ways_out(v, block, ways, 2, &count) || count != 2 ||
	    !is_known(o, j->target) || !is_known(o, j->next))
		return 0;
	first = led_to(v, ways[0]);
	second = led_to(v, ways[1]);
	score = leaning(v, o, j->context, j->target, first, second, 1) -
		leaning(v, o, j->context, j->next, first, second, 1) +
		leaning_behind(v, o, j, first, second);
	if (!score)
		score = arm_score(v, o, j, ways);
	if (!score)
		return 0;
	return add(v, ways[0], block, score > 0 ? j->taken : j->not_taken) ||
			       add(v, ways[1], block, score > 0 ? j->not_taken : j->taken)
		       ? -1
		       : 0;
}

uint64_t jump_evidence_sum(const struct jump_evidence *v, uint32_t block)
{
	uint64_t sum = 0;

	for (uint32_t i = v->first.items[block]; i < v->first.items[block + 1]; i++) {
		uint32_t known = v->of_arc.items[v->ways.items[i]];

		sum += known ? v->items.items[known - 1].count : 0;
	}
	return sum;
}
