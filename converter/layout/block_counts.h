/* SPDX-License-Identifier: MIT */
/*
 * How often the compiler's basic blocks ran, and control went from one to another: a branch profile
 * in terms of a block address map.
 */
#pragma once

#include "base/map.h"
#include "converter/binary/binary.h"
#include "formats/model/block_map.h"
#include "formats/model/branch_profile.h"

/* Of a function of the map. */
struct block_counts_function {
	uint64_t bytes;	       /* of code that ran, each time counted */
	uint64_t jumps, wrong; /* within it; those of them that lead to where no block begins */
};

struct block_counts {
	const struct block_map *map;
	VECTOR(uint32_t) by_address; /* its blocks, by number */
	uint64_t *runs;		     /* of each block */
	struct map jumps;	     /* (from + 1, to + 1), blocks by number -> n = times */
	struct map calls;	     /* the same of functions */
	struct block_counts_function *functions;
	uint64_t bytes; /* that ran, those of no function of the map included */
};

/*
 * Count @p; @map outlives @counts, which starts zeroed and is to be ended also after a failure. An
 * indirect jump, a fall-through and a call that comes back to another block are jumps, too. 0, or
 * -1 without memory.
 */
int block_counts_make(struct block_counts *counts, struct binary *b, const struct block_map *map,
		      const struct branch_profile *p);
void block_counts_deinit(struct block_counts *counts);
