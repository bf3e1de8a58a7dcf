/* SPDX-License-Identifier: MIT */
#include "collector/engine/waypoints.h"

#include <stddef.h>
#include <string.h>

/* Waypoints without which nothing is said of how registers advance. */
#define LOOP_LEAST 4u
/* A register counts if it is nowhere farther from even steps than this part of all of them; two
 * that count agree to within this part of the way. */
#define EVEN_PART  16.0
#define AGREE_PART 8.0
/* Nobody is looked for farther than so many lengths of the path. */
#define BEHIND_MOST 1024.0

void waypoints_note(struct waypoints *w, const struct isa_state *s, const struct rate_work *work)
{
	struct waypoint *at = &w->at[w->count];

	if (w->count == WAYPOINTS_MOST || !isa_state_general_registers(s, at->registers))
		return;
	at->pc = isa_state_pc(s);
	at->work = *work;
	w->count++;
}

/* ---- on the path --------------------------------------------------------------------------- */

/* How many waypoints it is at; *found is one of them. */
static unsigned count_equal(const struct waypoints *w, uint64_t pc, const uint64_t *registers,
			    const struct waypoint **found)
{
	unsigned equal = 0;

	for (unsigned i = 0; i < w->count; i++) {
		const struct waypoint *at = &w->at[i];

		if (at->pc != pc || memcmp(at->registers, registers, sizeof(at->registers)) != 0)
			continue;
		*found = at;
		equal++;
	}
	return equal;
}

/* ---- behind it ----------------------------------------------------------------------------- */

/* The waypoints at one place of a loop: the first, the last, and their number. */
struct loop {
	const struct waypoint *first, *last;
	unsigned count;
};

static struct loop loop_at(const struct waypoints *w, uint64_t pc)
{
	struct loop l = {0};

	for (unsigned i = 0; i < w->count; i++) {
		if (w->at[i].pc != pc)
			continue;
		if (!l.count++)
			l.first = &w->at[i];
		l.last = &w->at[i];
	}
	return l;
}

static double difference(uint64_t to, uint64_t from)
{
	return (double)(int64_t)(to - from);
}

/* By how far of all its way register @r is from even steps in the loop; it moves. */
static double unevenness(const struct loop *l, unsigned r)
{
	double from = (double)l->first->work.branches;
	double all = (double)l->last->work.branches - from;
	double way = difference(l->last->registers[r], l->first->registers[r]), most = 0;

	for (const struct waypoint *at = l->first; at < l->last; at++) {
		double even = way * ((double)at->work.branches - from) / all;
		double off = difference(at->registers[r], l->first->registers[r]) - even;

		if (at->pc == l->first->pc && most < __builtin_fabs(off))
			most = __builtin_fabs(off);
	}
	return most / __builtin_fabs(way);
}

static bool is_constant(const struct loop *l, unsigned r)
{
	for (const struct waypoint *at = l->first; at <= l->last; at++)
		if (at->pc == l->first->pc && at->registers[r] != l->first->registers[r])
			return false;
	return true;
}

/* By what register @r holds: taken branches since the trace's start. */
static double branches_by(const struct loop *l, unsigned r, uint64_t holds)
{
	double all = (double)(l->last->work.branches - l->first->work.branches);
	double way = difference(l->last->registers[r], l->first->registers[r]);

	return (double)l->first->work.branches +
	       all * difference(holds, l->first->registers[r]) / way;
}

/* Taken branches since the trace's start, by the register that counts most evenly. 0: none does,
 * others that count say something else, or what was the same all along is not now. */
static double find_behind(const struct loop *l, const uint64_t *registers)
{
	double best = 1 / EVEN_PART, found = 0, by[ISA_GENERAL_REGISTERS];
	unsigned counting = 0;

	for (unsigned r = 0; r < ISA_GENERAL_REGISTERS; r++) {
		double uneven;

		if (l->first->registers[r] == l->last->registers[r]) {
			if (registers[r] != l->first->registers[r] && is_constant(l, r))
				return 0;
			continue;
		}
		uneven = unevenness(l, r);
		if (uneven > 1 / EVEN_PART)
			continue;
		by[counting++] = branches_by(l, r, registers[r]);
		if (uneven > best)
			continue;
		best = uneven;
		found = by[counting - 1];
	}
	for (unsigned i = 0; i < counting; i++)
		if (__builtin_fabs(by[i] - found) > found / AGREE_PART)
			return 0;
	return found;
}

bool waypoints_find(const struct waypoints *w, uint64_t pc,
		    const uint64_t registers[ISA_GENERAL_REGISTERS], struct rate_work *work)
{
	const struct waypoint *found = NULL;
	struct loop loop;
	double branches;

	switch (count_equal(w, pc, registers, &found)) {
	case 0:
		break;
	case 1:
		*work = found->work;
		return true;
	default:
		return false;
	}
	loop = loop_at(w, pc);
	if (loop.count < LOOP_LEAST)
		return false;
	branches = find_behind(&loop, registers);
	if (branches <= (double)loop.last->work.branches ||
	    branches > (double)loop.last->work.branches * BEHIND_MOST)
		return false;
	*work = rate_scale(&loop.last->work, branches / (double)loop.last->work.branches);
	return true;
}
