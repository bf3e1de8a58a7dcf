/* SPDX-License-Identifier: MIT */
/* Blocks of an older function's code that were found in the newer one's tell where those next to
 * them are. */
#pragma once

#include "converter/cfg/blocks.h"
#include "converter/update/line_map.h"

/* Add to @map, which has blocks by number + 1: a block goes to the only one left that stands to a
 * found neighbour as it does. 0, or -1 without memory. */
int block_map_spread(struct line_map *map, const struct blocks *before, const struct blocks *after);
