/* SPDX-License-Identifier: MIT */
/*
 * How far the count of an instruction is the count of the block that it was made from. A block may
 * have run less often than its instructions: the compiler merged equal tails of several blocks, or
 * computes both sides of a condition and then selects. Then the instruction's count is an upper
 * bound.
 */
#pragma once

#include "converter/gcc/counters/attributions.h"
#include "converter/gcc/counters/successors.h"

/* Start zeroed. */
struct reliability {
	const struct notes_function *f;
	struct successors graph; /* of its blocks */
	/* by context, machine block; of these the conditional jumps, by context, place */
	VECTOR(const struct attribution *) items, jumps;
};

void reliability_deinit(struct reliability *d);
/* 0, or -1 without memory. */
int reliability_init(struct reliability *d, const struct notes_function *f);
/* Add the attributions [first,end), which stay. 0, or -1. Then sort. */
int reliability_add(struct reliability *d, const struct attribution *first,
		    const struct attribution *end);
void reliability_sort(struct reliability *d);
/* The only block that leads to it, or NOTES_NONE. */
uint32_t reliability_before(const struct reliability *d, uint32_t block);
/* How reliably did @block run as often as @o? 1: nothing speaks against it; 0: not at all. */
double reliability_share(const struct reliability *d, const struct attribution *o, uint32_t block);
