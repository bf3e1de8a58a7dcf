/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/joint_conditions.h"

#include <math.h>

/* Has the machine block that ends with the jump a statement of @block? */
static bool is_behind(const struct ways *w, const struct observations *o,
		      const struct observed_jump *j, uint32_t block)
{
	const struct observed_instruction *i, *all = o->code.items;
	size_t at = vector_count_while(&o->code, i, i->address < j->address);
	uint32_t machine;

	if (at == o->code.count || all[at].address != j->address)
		return false;
	machine = all[at].block;
	for (at++; at && all[at - 1].block == machine; at--)
		if (key_function_is_in(w->f, all[at - 1].place, block))
			return true;
	return false;
}

static bool has_jump(const struct observations *o, const struct observed_jump *j,
		     const struct key_place *condition)
{
	const struct observed_function *f = &o->functions.items[j->function];

	for (size_t i = f->first_jump; i < f->first_jump + f->jumps; i++)
		if (o->jumps.items[i].context == j->context &&
		    key_place_is(&o->jumps.items[i].place, condition))
			return true;
	return false;
}

/* Is the condition of @block tested by the jump, which is made from that of @own? */
static bool is_tested(const struct ways *w, const struct observations *o,
		      const struct observed_jump *j, uint32_t own, uint32_t block)
{
	return block == own ||
	       (block < w->f->blocks.count && w->f->blocks.items[block].condition.line &&
		is_behind(w, o, j, block) && !has_jump(o, j, &w->f->blocks.items[block].condition));
}

/* The arc by which @from goes on to @to, if its other way is one of @to's, and only @from leads to
 * @to; else KEY_NONE. */
static uint32_t arc_on(const struct ways *w, uint32_t from, uint32_t to)
{
	uint32_t arcs[2], next[2];

	if (w->arrivals.items[to] != 1 || !ways_both(w, from, arcs) || !ways_both(w, to, next))
		return KEY_NONE;
	for (size_t i = 0; i < 2; i++)
		if (ways_to(w, arcs[i]) == to && ways_lead(w, to, ways_to(w, arcs[!i])))
			return arcs[i];
	return KEY_NONE;
}

void joint_conditions_find(struct joint_conditions *c, const struct ways *w,
			   const struct observations *o, const struct observed_jump *j,
			   uint32_t block)
{
	uint32_t own = block;
	bool more = true;

	for (size_t i = 1; i < JOINT_CONDITIONS_MOST; i++) {
		uint32_t from = w->arrivals.items[block] ? w->before.items[block] : KEY_NONE;

		if (from == KEY_NONE || arc_on(w, from, block) == KEY_NONE ||
		    !is_tested(w, o, j, own, from))
			break;
		block = from;
	}
	c->blocks[0] = block;
	for (c->count = 1; more && c->count < JOINT_CONDITIONS_MOST;) {
		uint32_t arcs[2];

		more = false;
		for (size_t i = 0; ways_both(w, block, arcs) && i < 2 && !more; i++) {
			uint32_t to = ways_to(w, arcs[i]);

			if (arc_on(w, block, to) == KEY_NONE || !is_tested(w, o, j, own, to))
				continue;
			c->arcs[c->count - 1] = arcs[i];
			c->blocks[c->count++] = block = to;
			more = true;
		}
	}
}

static uint64_t last_of(const struct observations *o, uint64_t address)
{
	size_t n;
	const struct observed_instruction *code = observations_code_at(o, address, &n);

	return code ? code[n - 1].address : 0;
}

bool joint_conditions_go_on(const struct observations *o, const struct observed_jump *j,
			    uint64_t *times)
{
	const struct observed_function *f = &o->functions.items[j->function];
	uint64_t next = last_of(o, j->next), target = last_of(o, j->target);

	for (size_t i = f->first_jump; i < f->first_jump + f->jumps; i++) {
		const struct observed_jump *other = &o->jumps.items[i];

		if (other->context != j->context || other->address == j->address ||
		    !key_place_is(&other->place, &j->place) ||
		    (other->address != next && other->address != target))
			continue;
		*times = other->address == next ? j->not_taken : j->taken;
		return true;
	}
	return false;
}

uint32_t joint_conditions_last(const struct joint_conditions *c, const struct ways *w)
{
	uint32_t arcs[2] = {0};

	ways_both(w, c->blocks[c->count - 1], arcs);
	return arcs[ways_lead(w, c->blocks[c->count - 2], ways_to(w, arcs[0]))];
}

uint64_t joint_conditions_times(const struct joint_conditions *c, size_t i, uint64_t all,
				uint64_t on)
{
	double share = all ? (double)on / (double)all : 0;

	return (uint64_t)((double)all * pow(share, (double)(i + 1) / (double)c->count));
}
