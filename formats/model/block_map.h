/* SPDX-License-Identifier: MIT */
/*
 * Which code of a program is which of its compiler's basic blocks.
 */
#pragma once

#include <stdint.h>

#include "base/vector.h"

struct mapped_block {
	uint64_t begin, end; /* addresses; end exclusive, and not below begin */
	uint32_t function;   /* number of its function in the map */
	uint32_t id;	     /* by which the compiler knows it in its function */
};

struct mapped_function {
	uint64_t entry;
	uint32_t first, blocks; /* of its blocks in the map: the number of the first, how many */
};

struct block_map {
	VECTOR(struct mapped_function) functions;
	VECTOR(struct mapped_block) blocks; /* function by function, each in its order */
};

/* Start zeroed; frees. */
static inline void block_map_deinit(struct block_map *m)
{
	vector_deinit(&m->functions);
	vector_deinit(&m->blocks);
}
