/* SPDX-License-Identifier: MIT */
/*
 * What the causes of time cost in this program: a linear regression of times that were measured on
 * what took place meanwhile, drawn to what is usual (ridge regression). Any thread's handler adds
 * to its sums.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/engine/rate.h"

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
