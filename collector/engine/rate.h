/* SPDX-License-Identifier: MIT */
/*
 * How fast the program runs where a trace is: branches per time. A timer starts traces where time
 * is spent; weighted by their rates they are what starts at branches would have been. The model
 * knows two causes of time, and its figures need to be right only relative to each other.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "isa/host.h"

/* Where traces are long enough to tell a rate, what they are by default then, and where nothing
 * stops them. */
#define CORRECTION_DEPTH_LEAST 512u
#define CORRECTION_DEPTH       2048u
#define CORRECTION_DEPTH_MOST  4096u

enum timer_correction {
	CORRECTION_OFF,
	CORRECTION_MODEL, /* from what was evaluated, and which cache lines it loaded from memory */
	CORRECTION_PROBE, /* and by timing a part of the path */
	CORRECTION_COUNT,
	CORRECTION_AUTO = CORRECTION_COUNT, /* not decided yet */
};

/* Where no clock tells a load from memory, none tells a piece of a path beside two stops. */
#define CORRECTION_TIMED (ISA_LINES_ARE_TIMED ? CORRECTION_PROBE : CORRECTION_MODEL)

/* An instruction, when nothing has to wait. */
#define RATE_INSTRUCTION_PS 250u
/* And what it takes at least. */
#define RATE_INSTRUCTION_LEAST_PS 40u
/* A byte of a long fill or copy that is one instruction. */
#define RATE_RANGE_BYTE_PS 30u
/* A cycle of a divider, whose results are waited for one after the other. */
#define RATE_CYCLE_PS 330u
/* The program waits for so much of the time that a load takes longer than one from the nearest
 * cache: it has others under way as well. */
#define RATE_WAIT_PERCENT 60u

/* What memory costs on this machine. */
struct rate_machine {
	/* of a load from the nearest cache; one that takes longer comes from a farther one, from
	 * memory (isa/host.h) */
	uint64_t near_ticks, farther_ticks, slow_ticks;
	uint64_t line_ps;      /* what the program waits for a line from memory */
	uint64_t tick_1024_ps; /* how long 1024 ticks are (isa/host.h) */
};

/* By so many ticks a load from memory takes longer than one from a cache. */
static inline uint64_t rate_slow_more(const struct rate_machine *m)
{
	return m->tick_1024_ps ? m->line_ps * 1024 / m->tick_1024_ps : 0;
}

/* What took place between two points of a path. */
struct rate_work {
	uint64_t branches; /* taken */
	uint64_t instructions;
	uint64_t lines;	      /* loaded from memory */
	uint64_t wait_ticks;  /* that loads from farther caches took longer than from the nearest */
	uint64_t copied;      /* lines that were loaded from copies of their pages */
	uint64_t range_bytes; /* of fills and copies that are an instruction each */
	uint64_t wait_cycles; /* of divisions and roots */
	uint64_t
		blocks; /* of code that were run for the first time; 0 without first-touch points */
};

/* So many times the work of a path that goes on as it did: it comes to no more new code. */
static inline struct rate_work rate_scale(const struct rate_work *w, double times)
{
	return (struct rate_work){
		.branches = (uint64_t)((double)w->branches * times),
		.instructions = (uint64_t)((double)w->instructions * times),
		.lines = (uint64_t)((double)w->lines * times),
		.wait_ticks = (uint64_t)((double)w->wait_ticks * times),
		.copied = (uint64_t)((double)w->copied * times),
		.range_bytes = (uint64_t)((double)w->range_bytes * times),
		.wait_cycles = (uint64_t)((double)w->wait_cycles * times),
		.blocks = w->blocks,
	};
}

/* What the program waits for lines from farther caches. */
static inline uint64_t rate_wait_ps(const struct rate_work *w, const struct rate_machine *m)
{
	return w->wait_ticks * m->tick_1024_ps / 1024 * RATE_WAIT_PERCENT / 100;
}

static inline uint64_t rate_model_ps(const struct rate_work *w, const struct rate_machine *m)
{
	uint64_t ps = w->instructions * RATE_INSTRUCTION_PS + w->lines * m->line_ps +
		      rate_wait_ps(w, m) + w->range_bytes * RATE_RANGE_BYTE_PS +
		      w->wait_cycles * RATE_CYCLE_PS;
	uint64_t least = w->branches * RATE_INSTRUCTION_PS;

	return ps > least ? ps : least;
}

/* How many branches were taken in @interval_ns at this rate: what a sample stands for. At least 1,
 * as 0 is that it is not known. */
static inline uint64_t rate_weight(uint64_t branches, uint64_t ps, uint64_t interval_ns)
{
	unsigned __int128 taken = (unsigned __int128)branches * interval_ns * 1000;

	if (!ps || !branches)
		return 0;
	taken /= ps;
	return !taken ? 1 : taken > INT64_MAX ? INT64_MAX : (uint64_t)taken;
}

/* ---- the fit (rate_fit.c) -------------------------------------------------------------------- */

/*
 * What the causes of time cost in this program: a linear regression of times that were measured on
 * what took place meanwhile, drawn to what is usual (ridge regression). Any thread's handler adds
 * to its sums.
 */

enum rate_fit_term {
	RATE_FIT_INSTRUCTIONS,
	RATE_FIT_BRANCHES,
	RATE_FIT_LINES, /* from memory */
	RATE_FIT_WAITS, /* for farther caches */
	RATE_FIT_CYCLES,
	RATE_FIT_BLOCKS, /* of cold code */
	RATE_FIT_TERMS,
};

/* What is usual of an instruction, and as much of a taken branch. The rest is by the model. */
#define RATE_FIT_INSTRUCTION_PS 125.0
#define RATE_FIT_BRANCH_PS	125.0
/* What a block usually takes longer that the path comes to for the first time: stops and the
 * collector put it out of the nearest cache, and what predicts its branches. */
#define RATE_FIT_BLOCK_PS 10000.0

/* Of the terms i and j <= i: i * (i + 1) / 2 + j. */
#define RATE_FIT_PAIRS (RATE_FIT_TERMS * (RATE_FIT_TERMS + 1) / 2)

/* Sums over what was measured of products of two terms, and of a term and the time; each over how
 * far the time may be off, in 1,024ths. Atomic; those of another process are checked before they
 * are used (shared/trusted.h). */
struct rate_fit {
	uint32_t count; /* of what was measured */
	int64_t pairs[RATE_FIT_PAIRS];
	int64_t times[RATE_FIT_TERMS];
};

/* What a term costs by what it usually does: 1 as long as nothing was measured. */
struct rate_factors {
	double of[RATE_FIT_TERMS];
};

/* Can these be sums of @f->count measurements? What can't be may still be solved. */
bool rate_fit_is_possible(const struct rate_fit *f);
struct rate_factors rate_fit_solve(const struct rate_fit *f);
/* How long @work takes, where none of its code is cold. */
double rate_fit_ps(const struct rate_factors *f, const struct rate_work *work,
		   const struct rate_machine *m);
/* What cold code adds. */
double rate_fit_cold_ps(const struct rate_factors *f, const struct rate_work *work);
/* It took @ps with its cold code, which is off by @variance squared picoseconds; @known was solved
 * before. */
void rate_fit_learn(struct rate_fit *f, const struct rate_factors *known,
		    const struct rate_work *work, const struct rate_machine *m, double ps,
		    double variance);
