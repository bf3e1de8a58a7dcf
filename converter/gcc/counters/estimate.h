/* SPDX-License-Identifier: MIT */
/*
 * How often a statement ran, estimated from the instructions that it was made into: an interval,
 * and how far it can be relied on. The rules are those of docs/counters.md, "Instructions". Where a
 * machine block holds a loop's body several times, unrolled, its instructions count so often more.
 */
#pragma once

#include <stdbool.h>

#include "base/map.h"
#include "base/vector.h"
#include "converter/gcc/counters/attributions.h"

/* An attribution whose machine block holds the statement several times, unrolled, counts so often
 * more. */
struct estimate_item {
	const struct attribution *o;
	uint64_t count;
};

struct estimate_items {
	VECTOR(struct estimate_item) list;
};

struct estimate {
	uint64_t low, high;
	double weight; /* of running more often than `high` */
	double below;  /* of running less often than `low` */
	double pull;   /* of running less often than `high` */
	bool fixed;    /* calls and stores: they are not moved out of loops */
	/* Computed whether or not it would have run: `high` times, as the block before it ran. */
	bool selected;
};

/* The estimate for one statement, by its instructions, which the call sorts. */
struct estimate estimate_make(struct estimate_items *items);

/* Start zeroed. */
struct estimate_unrolled {
	struct map times; /* (gcc's block, machine block), context -> n */
};

void estimate_unrolled_deinit(struct estimate_unrolled *u);
/* Find which blocks of @f are unrolled in which machine blocks, by the attributions [first,end) of
 * one context. 0, or -1 without memory. */
int estimate_unrolled_find(struct estimate_unrolled *u, const struct notes_function *f,
			   const struct attribution *first, const struct attribution *end);
/* How often the code of an attribution stands in its machine block, for a statement of @block. */
uint64_t estimate_unrolled_times(const struct estimate_unrolled *u, uint32_t block,
				 const struct attribution *o);
