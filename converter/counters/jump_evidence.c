/* SPDX-License-Identifier: MIT */
#include "converter/counters/jump_evidence.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* Blocks without statements are passed on the way to one that has some, so many at most. */
#define EMPTY_BLOCKS 4
/* Statements of a machine block that are looked at. */
#define LOOKED_AT 64
/* Conditions that are tested at once, at most. */
#define TOGETHER_MOST 8

void jump_evidence_deinit(struct jump_evidence *v)
{
	vector_deinit(&v->items);
	vector_deinit(&v->first);
	vector_deinit(&v->ways);
	vector_deinit(&v->stated);
	vector_deinit(&v->of_arc);
	vector_deinit(&v->arrivals);
	vector_deinit(&v->before);
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
	    vector_reserve(&v->arrivals, blocks + 1) || vector_reserve(&v->before, blocks + 1))
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
			v->before.items[a->to] = a->from;
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

/* Blocks whose conditions one jump tests, in order: each goes on to the next one, or to a place
 * that is the same for all. */
struct together {
	uint32_t blocks[TOGETHER_MOST];
	uint32_t ways[TOGETHER_MOST]; /* the arcs that go on */
	size_t count;
};

/* Has the machine block that ends with the jump a statement of @block? */
static bool is_behind(const struct jump_evidence *v, const struct observations *o,
		      const struct observed_jump *j, uint32_t block)
{
	const struct observed_instruction *i;
	size_t at = vector_count_while(&o->code, i, i->address < j->address);

	if (at == o->code.count || o->code.items[at].address != j->address)
		return false;
	for (uint32_t machine = o->code.items[at].block; o->code.items[at].block == machine; at--)
		if (is_in(v->f, o->code.items[at].place, block))
			return true;
		else if (!at)
			break;
	return false;
}

static bool has_jump(const struct observations *o, const struct observed_jump *j,
		     const struct key_place *condition)
{
	const struct observed_function *f = &o->functions.items[j->function];

	for (size_t i = f->first_jump; i < f->first_jump + f->jumps; i++)
		if (o->jumps.items[i].context == j->context &&
		    same_place(&o->jumps.items[i].place, condition))
			return true;
	return false;
}

/* The arc by which @from goes on to @to, if its other way is one of @to's, and only @from leads to
 * @to; else KEY_NONE. */
static uint32_t way_on(const struct jump_evidence *v, uint32_t from, uint32_t to)
{
	const struct gcc_arc *arcs = v->f->graph->arcs.items;
	uint32_t ways[2], next[2];
	size_t count;

	if (v->arrivals.items[to] != 1 || !ways_out(v, from, ways, 2, &count) || count != 2 ||
	    !ways_out(v, to, next, 2, &count) || count != 2)
		return KEY_NONE;
	for (size_t i = 0; i < 2; i++)
		if (arcs[ways[i]].to == to && (arcs[ways[!i]].to == arcs[next[0]].to ||
					       arcs[ways[!i]].to == arcs[next[1]].to))
			return ways[i];
	return KEY_NONE;
}

static bool goes_to(const struct jump_evidence *v, uint32_t from, uint32_t to)
{
	uint32_t ways[2];
	size_t count;

	if (!ways_out(v, from, ways, 2, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (v->f->graph->arcs.items[ways[i]].to == to)
			return true;
	return false;
}

/* Is the condition of @block, which the jump is not made from, tested by it? */
static bool is_tested(const struct jump_evidence *v, const struct observations *o,
		      const struct observed_jump *j, uint32_t block)
{
	return block < v->f->blocks.count && v->f->blocks.items[block].condition.line &&
	       is_behind(v, o, j, block) && !has_jump(o, j, &v->f->blocks.items[block].condition);
}

/* All conditions that the jump tests, which is made from that of @block. */
static void find_together(const struct jump_evidence *v, const struct observations *o,
			  const struct observed_jump *j, uint32_t block, struct together *t)
{
	const struct gcc_arc *arcs = v->f->graph->arcs.items;
	uint32_t found[2 * TOGETHER_MOST], ways[2];
	size_t first = TOGETHER_MOST, last = first, count;
	bool more = true;

	found[first] = block;
	while (first > 1) {
		uint32_t to = found[first], from = v->before.items[to];

		if (!v->arrivals.items[to] || way_on(v, from, to) == KEY_NONE ||
		    !is_tested(v, o, j, from))
			break;
		found[--first] = from;
	}
	while (more && last + 1 < first + TOGETHER_MOST &&
	       ways_out(v, found[last], ways, 2, &count)) {
		more = false;
		for (size_t i = 0; i < count && !more; i++) {
			uint32_t to = arcs[ways[i]].to;

			if (way_on(v, found[last], to) == KEY_NONE || !is_tested(v, o, j, to))
				continue;
			found[++last] = to;
			more = true;
		}
	}
	t->count = last - first + 1 < TOGETHER_MOST ? last - first + 1 : TOGETHER_MOST;
	for (size_t i = 0; i < t->count; i++) {
		t->blocks[i] = found[first + i];
		if (i)
			t->ways[i - 1] = way_on(v, t->blocks[i - 1], t->blocks[i]);
	}
}

static uint64_t last_of(const struct observations *o, uint64_t address)
{
	size_t n;
	const struct observed_instruction *code = observations_code_at(o, address, &n);

	return code ? code[n - 1].address : 0;
}

/* How often the jump goes to where another of the conditions is tested, by a jump of the same
 * place. False if it does not. */
static bool goes_on_testing(const struct observations *o, const struct observed_jump *j,
			    uint64_t *times)
{
	const struct observed_function *f = &o->functions.items[j->function];
	uint64_t next = last_of(o, j->next), target = last_of(o, j->target);

	for (size_t i = f->first_jump; i < f->first_jump + f->jumps; i++) {
		const struct observed_jump *other = &o->jumps.items[i];

		if (other->context != j->context || other->address == j->address ||
		    !same_place(&other->place, &j->place) ||
		    (other->address != next && other->address != target))
			continue;
		*times = other->address == next ? j->not_taken : j->taken;
		return true;
	}
	return false;
}

/* All conditions together hold @on of @all times: nothing says which of them do not, so that each
 * holds as often as the others. The last one's way is added by the caller. */
static int add_together(struct jump_evidence *v, const struct together *t, uint64_t all,
			uint64_t on)
{
	double each = all ? pow((double)on / (double)all, 1.0 / (double)t->count) : 0;
	double left = (double)all;

	for (size_t i = 0; i + 1 < t->count; i++) {
		left *= each;
		if (add(v, t->ways[i], t->blocks[i], (uint64_t)left))
			return -1;
	}
	return 0;
}

int jump_evidence_add(struct jump_evidence *v, const struct observations *o,
		      const struct observed_jump *j)
{
	const struct key_function *f = v->f;
	uint32_t block = block_of(f, j), ways[2], first, second;
	struct together together;
	size_t count;
	uint64_t on;
	int score;

	if (block == KEY_NONE || !ways_out(v, block, ways, 2, &count) || count != 2 ||
	    !is_known(o, j->target) || !is_known(o, j->next))
		return 0;
	find_together(v, o, j, block, &together);
	if (together.count > 1 && goes_on_testing(o, j, &on))
		return add_together(v, &together, on, on);
	block = together.blocks[together.count - 1];
	if (!ways_out(v, block, ways, 2, &count) || count != 2)
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
	if (together.count > 1) {
		/* the way that the one before has, too, is the other one */
		bool second = !goes_to(v, together.blocks[together.count - 2],
				       f->graph->arcs.items[ways[1]].to);

		on = (score > 0) == second ? j->not_taken : j->taken;
		return add_together(v, &together, j->taken + j->not_taken, on) ||
				       add(v, ways[second], block, on)
			       ? -1
			       : 0;
	}
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
