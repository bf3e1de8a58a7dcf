/* SPDX-License-Identifier: MIT */
/* The successors and predecessors of the blocks of a function's graph; fake arcs are left out. */
#pragma once

#include "converter/gcc/counters/notes_index.h"

/* Start zeroed. */
struct successors {
	const struct notes_function *f;
	VECTOR(uint32_t) first, arcs; /* those that leave block b are from first[b] on */
	VECTOR(uint32_t) arrivals;    /* by block: arcs that lead there */
	VECTOR(uint32_t) before;      /* by block: where the last of these is from */
	VECTOR(bool) stated;	      /* by block: it has statements */
};

void successors_deinit(struct successors *w);
/* For the graph of @f, which must outlive @w. 0, or -1 without memory. */
int successors_init(struct successors *w, const struct notes_function *f);
/* The arcs by which @block is left, into @arcs: false unless there are @most or fewer. */
bool successors_out(const struct successors *w, uint32_t block, uint32_t *arcs, size_t most,
		    size_t *count);
/* How many arcs leave @block. */
static inline uint32_t successors_count(const struct successors *w, uint32_t block)
{
	return w->first.items[block + 1] - w->first.items[block];
}
/* The two arcs that leave a block with two successors; false for other blocks. */
bool successors_both(const struct successors *w, uint32_t block, uint32_t arcs[2]);
/* Does an arc lead from one block to the other? */
bool successors_lead(const struct successors *w, uint32_t from, uint32_t to);
/* The block that an arc leads to. */
uint32_t successors_to(const struct successors *w, uint32_t arc);
