/* SPDX-License-Identifier: MIT */
/*
 * When a block may have run less often than the instructions that were made from it: the compiler
 * merged equal tails of several blocks, or computes both sides of a condition and then selects.
 * Then what is known is an upper bound.
 */
#ifndef CONVERTER_GCC_COUNTERS_DOUBTS_H
#define CONVERTER_GCC_COUNTERS_DOUBTS_H

#include "converter/gcc/counters/observations.h"

/* Start zeroed. */
struct doubts {
	const struct key_function *f;
	/* By block: the only one that leads to it, or KEY_NONE; and by how many arcs it is left.
	 * Fake arcs are none. */
	VECTOR(uint32_t) before;
	VECTOR(uint32_t) ways;
	VECTOR(const struct observation *) items; /* by context, machine block */
	VECTOR(const struct observation *)
	jumps; /* of these the conditional jumps, by context, place */
};

void doubts_deinit(struct doubts *d);
/* 0, or -1 without memory. */
int doubts_init(struct doubts *d, const struct key_function *f);
/* Add the observations [first,end), which stay. 0, or -1. Then sort. */
int doubts_add(struct doubts *d, const struct observation *first, const struct observation *end);
void doubts_sort(struct doubts *d);
/* The only block that leads to it, or KEY_NONE. */
uint32_t doubts_before(const struct doubts *d, uint32_t block);
/* Did @block run as often as @o? 1: as far as one can see; 0: that says nothing. */
double doubts_share(const struct doubts *d, const struct observation *o, uint32_t block);

#endif
