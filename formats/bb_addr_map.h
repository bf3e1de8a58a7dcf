/* SPDX-License-Identifier: MIT */
/*
 * The section SHT_LLVM_BB_ADDR_MAP of a program: which code is which basic block of clang's. A
 * record for each function (llvm/docs/Extensions.rst; numbers without a size are ULEB128):
 *
 *	u8 version; features, u8, from version 5 on u16
 *	[number of ranges, with MULTI_BB_RANGE]
 *	of each range:	address of its beginning; number of blocks
 *		of each block, unless OMIT_BB_ENTRIES:
 *			[id, from version 2 on]
 *			distance from the end of the block before, or from the beginning
 *			[number of calls; of each the distance of its end,
 *			 with CALLSITE_END_OFFSETS]
 *			size, or what of it follows the last call; flags
 *			[u64 hash, with BB_HASH]
 *	[times that the function ran, with FUNC_ENTRY_COUNT]
 *	of each block:	[frequency, with BB_FREQ] [another one, with POST_LINK_CFG]
 *		[number of successors; of each: id; probability
 *		 [frequency, with POST_LINK_CFG], with BR_PROB]
 *
 * Versions 1 (clang 16) to 5 (clang 22) are read. In version 1 a block's id is its number in the
 * function.
 */
#pragma once

#include "base/cursor.h"
#include "formats/model/block_map.h"
#include "softlbr/error.h"

#define BB_ADDR_MAP_SECTION	 0x6fff4c0a /* sh_type */
#define BB_ADDR_MAP_SECTION_NONE 0x6fff4c08 /* that of clang before 15, which has no version */

/* The section's bytes, and those of an address. */
struct bb_addr_map_section {
	struct bytes bytes;
	bool big_endian;
	unsigned address_bytes; /* 4 or 8 */
};

/* Add what the section says to @map. @name is the file, for messages. 0 or a negative code. */
int bb_addr_map_read(struct block_map *map, const struct bb_addr_map_section *section,
		     const char *name, struct softlbr_error *e);
