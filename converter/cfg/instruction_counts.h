/* SPDX-License-Identifier: MIT */
/*
 * How often did each instruction of a function run? Two ways, both of Chen et al., Taming Hardware
 * Event Samples for Precise and Versatile Feedback Directed Optimizations, section 4. On exact
 * counts they agree; on sampled ones the second is what softlbr uses, since ranges are what was
 * seen.
 */
#ifndef CONVERTER_CFG_INSTRUCTION_COUNTS_H
#define CONVERTER_CFG_INSTRUCTION_COUNTS_H

#include "converter/cfg/cfg.h"

/*
 * Algorithm 1: of taken branches alone. Along the code in order of addresses, what arrives by
 * branches is added, what leaves by them is taken away, and the rest falls through. With @returns
 * among the branches calls leave as well and returns arrive behind them; else calls come back. What
 * would fall below 0 (of sampled counts) is 0. @counts: one per instruction.
 */
void instruction_counts_of_branches(const struct code *code, const struct cfg_branches *branches,
				    bool returns, uint64_t *counts);
/* Algorithm 2: of the ranges between back-to-back taken branches; @ranges are the function's. */
void instruction_counts_of_ranges(const struct code *code, struct map_entry *const *ranges,
				  size_t count, uint64_t *counts);

#endif
