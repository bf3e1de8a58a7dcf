/* SPDX-License-Identifier: MIT */
/* Which blocks of gcc's were unrolled, in which machine blocks, and how often. */
#ifndef CONVERTER_GCC_COUNTERS_UNROLLED_H
#define CONVERTER_GCC_COUNTERS_UNROLLED_H

#include "base/map.h"
#include "converter/gcc/counters/observations.h"

/* Start zeroed. */
struct unrolled {
	struct map times; /* (gcc's block, machine block), context -> n */
};

void unrolled_deinit(struct unrolled *u);
/* Of a function's observations [first,end) in one context. 0, or -1 without memory. */
int unrolled_find(struct unrolled *u, const struct key_function *f, const struct observation *first,
		  const struct observation *end);
/* How often the code of an observation stands in its machine block, for a statement of @block. */
uint64_t unrolled_times(const struct unrolled *u, uint32_t block, const struct observation *o);

#endif
