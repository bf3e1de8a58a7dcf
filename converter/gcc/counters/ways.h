/* SPDX-License-Identifier: MIT */
/* How the blocks of a function's graph lead to each other, without fake arcs. */
#ifndef CONVERTER_GCC_COUNTERS_WAYS_H
#define CONVERTER_GCC_COUNTERS_WAYS_H

#include "converter/gcc/counters/key_index.h"

/* Start zeroed. */
struct ways {
	const struct key_function *f;
	VECTOR(uint32_t) first, arcs; /* those that leave block b are from first[b] on */
	VECTOR(uint32_t) arrivals;    /* by block: arcs that lead there */
	VECTOR(uint32_t) before;      /* by block: where the last of these is from */
	VECTOR(bool) stated;	      /* by block: it has statements */
};

void ways_deinit(struct ways *w);
/* Of @f, which has to live as long. 0, or -1 without memory. */
int ways_init(struct ways *w, const struct key_function *f);
/* The arcs by which @block is left, into @arcs: false unless there are @most or fewer. */
bool ways_out(const struct ways *w, uint32_t block, uint32_t *arcs, size_t most, size_t *count);
/* The two of a block that has two; else false. */
bool ways_both(const struct ways *w, uint32_t block, uint32_t arcs[2]);
/* Does an arc lead from one block to the other? */
bool ways_lead(const struct ways *w, uint32_t from, uint32_t to);
/* The block that an arc leads to. */
uint32_t ways_to(const struct ways *w, uint32_t arc);

#endif
