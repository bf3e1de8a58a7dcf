/* SPDX-License-Identifier: MIT */
/*
 * Which way will a branch go, by the look of the code alone? The heuristics of Wu and Larus (Static
 * Branch Frequency and Program Profile Analysis, MICRO 27), as far as machine code shows them:
 * loops, calls and returns; several are combined as evidence (Dempster and Shafer).
 */
#ifndef CONVERTER_CFG_STATIC_BRANCHES_H
#define CONVERTER_CFG_STATIC_BRANCHES_H

#include "converter/cfg/cfg.h"

/* For each edge of the network the share, 0 to 1, of its segment's runs that leave by it; to be
 * freed with memory_free. Edges from outside have 1. NULL without memory. */
double *static_branches_shares(const struct cfg *cfg);

#endif
