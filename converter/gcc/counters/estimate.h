/* SPDX-License-Identifier: MIT */
/*
 * From the instructions that a statement was made into to how often it ran: an interval, and how
 * far it can be relied on. The rules are those of docs/counters.md.
 */
#ifndef CONVERTER_GCC_COUNTERS_ESTIMATE_H
#define CONVERTER_GCC_COUNTERS_ESTIMATE_H

#include <stdbool.h>

#include "base/vector.h"
#include "converter/gcc/counters/observations.h"

/* An observation whose machine block holds the statement several times, unrolled, counts so often
 * more. */
struct estimate_item {
	const struct observation *o;
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

/* Of a statement's instructions, which are sorted by it. */
struct estimate estimate_make(struct estimate_items *items);

#endif
