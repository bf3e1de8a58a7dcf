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

static uint64_t digest_next(uint64_t digest, uint64_t bits)
{
	return (digest ^ bits) * 0x9e3779b97f4a7c15u;
}

/* Of the words that are known; returns how many. */
static uint32_t digest_path(const struct isa_shadow *path, uint64_t *digest)
{
	uint32_t i;

	*digest = 0;
	for (i = 0; i < path->words && i < WAYPOINT_WORDS; i++) {
		uint64_t written = isa_shadow_spread(path->word[i].written);

		if (written & ~path->word[i].known)
			break;
		*digest = digest_next(*digest, path->word[i].bits & written);
	}
	return i;
}

/* Do the words hold what they held at the waypoint? */
static bool has_memory_of(const struct waypoint *at, const struct waypoint_memory *memory)
{
	uint64_t digest = 0;

	for (uint32_t i = 0; memory && i < at->words; i++) {
		const struct isa_shadow_word *word = &memory->path->word[i];
		struct isa_value holds;

		if (!isa_shadow_load(memory->now, memory->memory, word->address, 8, &holds))
			return false;
		digest = digest_next(digest, holds.bits & isa_shadow_spread(word->written));
	}
	return !memory || digest == at->digest;
}

void waypoints_note(struct waypoints *w, const struct isa_state *s, const struct rate_work *work)
{
	struct waypoint *at = &w->at[w->count];

	if (w->count == WAYPOINTS_MOST || !isa_state_general_registers(s, at->registers))
		return;
	at->pc = isa_state_pc(s);
	at->work = *work;
	at->words = digest_path(isa_state_shadow(s), &at->digest);
	w->count++;
}

/* ---- on the path --------------------------------------------------------------------------- */

/* How many waypoints it is at; *found is one of them. */
static unsigned count_equal(const struct waypoints *w, uint64_t pc, const uint64_t *registers,
			    const struct waypoint_memory *memory, const struct waypoint **found)
{
	unsigned equal = 0;

	for (unsigned i = 0; i < w->count; i++) {
		const struct waypoint *at = &w->at[i];

		if (at->pc != pc || memcmp(at->registers, registers, sizeof(at->registers)) ||
		    !has_memory_of(at, memory))
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
		    const uint64_t registers[ISA_GENERAL_REGISTERS],
		    const struct waypoint_memory *memory, struct rate_work *work)
{
	const struct waypoint *found = NULL;
	struct loop loop;
	double branches;

	switch (count_equal(w, pc, registers, memory, &found)) {
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
