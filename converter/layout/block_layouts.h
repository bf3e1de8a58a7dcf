/* SPDX-License-Identifier: MIT */
/*
 * The order of the blocks of all functions that ran, for a compiler. It takes wrong names and ids
 * without a word, so what is not certain is left out, and counted.
 */
#pragma once

#include "converter/layout/block_counts.h"
#include "formats/model/block_layout.h"
#include "softlbr/error.h"

struct block_layouts_stats {
	uint64_t functions; /* of the map that ran: those below, and those that are in the layout */
	uint64_t unnamed;   /* no symbol begins there, or clang can't be told its name */
	uint64_t ambiguous; /* of one name as another, in a source that is not known or the same */
	uint64_t contradicted; /* ids are not unique, or jumps lead to where no block begins */
	uint64_t hot, cold;    /* blocks in the layout, and those of its functions that are not */
	uint64_t bytes, bytes_laid; /* of code that ran, each time counted; in these functions */
};

/* Fill @out, which starts zeroed, by what was counted. @modules: the compiler can be told of a
 * function's source, too. 0 or a negative code. */
int block_layouts_make(struct block_layout *out, struct binary *b,
		       const struct block_counts *counts, bool modules,
		       struct block_layouts_stats *stats, struct softlbr_error *e);
