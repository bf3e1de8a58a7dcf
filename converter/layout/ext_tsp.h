/* SPDX-License-Identifier: MIT */
/*
 * An order of a function's blocks in which as many jumps as possible fall through or are short: the
 * extended travelling salesman problem of A. Newell, S. Pupyrev, Improved Basic Block Reordering,
 * IEEE Transactions on Computers 69 (2020), sections 3 and 4. It knows nothing of machine code.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ext_tsp_block {
	uint64_t bytes;
	uint64_t count; /* times it ran */
};

/* From the end of a block to the beginning of one, maybe the same. */
struct ext_tsp_jump {
	uint32_t from, to;
	uint64_t count;
};

struct ext_tsp_graph {
	const struct ext_tsp_block *blocks; /* the first is the function's entry */
	uint32_t block_count;
	const struct ext_tsp_jump *jumps; /* no two alike */
	size_t jump_count;
};

/* What an order, of all blocks, is worth: a jump's count if it falls through; else a tenth of it,
 * less for its distance, if that is below 1024 bytes forwards or 640 backwards. */
double ext_tsp_score(const struct ext_tsp_graph *g, const uint64_t *addresses);

/*
 * Write all blocks to @order, which has room for them: the entry first. Chains of blocks are merged
 * while that gains, each time the two that gain most; a short one is also split for that. The
 * chains that are left follow the entry's by how often their bytes run. Time is quadratic: of more
 * than EXT_TSP_BLOCKS_MAX the order stays as it is. 0, or -1 without memory.
 */
#define EXT_TSP_BLOCKS_MAX 10000
int ext_tsp_order(const struct ext_tsp_graph *g, uint32_t *order);
