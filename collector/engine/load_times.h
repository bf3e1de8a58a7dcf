/* SPDX-License-Identifier: MIT */
/*
 * How long look-ahead's first loads of cache lines took (record --times): by which instruction of
 * the program, from where. Look-ahead loads what the program is going to load, so caches answer as
 * they would have; the time is that of one load by itself.
 */
#pragma once

#include <stdint.h>

#include "collector/engine/reservoir.h"
#include "isa/evaluate.h"
#include "isa/host.h"

/* Lines are loaded and timed one by one. */
#define LOAD_TIMES_ARE_RECORDED ISA_LINES_ARE_TIMED
#define LOAD_TIMES_MOST		1024u

struct load_time {
	uint64_t site; /* address of the instruction */
	uint64_t line;
	uint64_t ticks; /* isa/host.h */
};

/* Zeroed, with room in @items for @kept.most, and who evaluates, it is ready. */
struct load_times {
	struct load_time *items;
	struct reservoir kept;
	struct isa_state *const *state; /* whose pc is at the instruction that loads */
};

/* @line was loaded. */
static inline void load_times_add(struct load_times *l, const uint8_t *line, uint64_t ticks)
{
	uint32_t at = reservoir_place(&l->kept);

	if (at != RESERVOIR_NOWHERE)
		l->items[at] = (struct load_time){isa_state_pc(*l->state), (uintptr_t)line, ticks};
}
