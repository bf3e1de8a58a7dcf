/* SPDX-License-Identifier: MIT */
/* What was not seen may only be rare: behind all rounds, each function runs a little as gcc
 * guesses. */
#ifndef CONVERTER_GCC_COUNTERS_ROUND_GUESSES_H
#define CONVERTER_GCC_COUNTERS_ROUND_GUESSES_H

#include "converter/gcc/counters/rounds.h"

/* Each function is taken to be entered @entries times more, and to go on as gcc guesses, up to
 * @most times an arc. 0, or -1 without memory. */
int round_guesses_add(struct rounds *r, uint64_t entries, uint64_t most);

#endif
