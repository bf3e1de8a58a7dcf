/* SPDX-License-Identifier: MIT */
/*
 * In which order a linker should place functions, so that code that runs together is near.
 */
#pragma once

#include "converter/binary/binary.h"
#include "formats/model/function_graph.h"

/*
 * The functions of @b that ran by @p, and their calls; when each ran first by @first_runs (address,
 * 0) -> n = ns. @g starts zeroed. 0, or -1 without memory.
 */
int function_orders_graph(struct function_graph *g, const struct binary *b,
			  const struct branch_profile *p, const struct map *first_runs);

/*
 * Each writes the indices of all functions of @g to @order, which has room for them: 0, or -1
 * without memory.
 *
 * By calls: a function behind the one that calls it most, in clusters that fit in a large page, the
 * densest first. Call-chain clustering, C3: G. Ottoni, B. Maher, Optimizing Function Placement for
 * Large-Scale Data-Center Applications, CGO 2017, section 4.
 */
int function_orders_by_calls(const struct function_graph *g, uint32_t *order);
/* By calls, too: cache_directed.c. Time is quadratic: of more than CACHE_DIRECTED_FUNCTIONS_MAX it
 * is call-chain clustering. */
#define CACHE_DIRECTED_FUNCTIONS_MAX 10000
int cache_directed_order(const struct function_graph *g, uint32_t *order);
/* By when each ran first; those of which it is not known last, in the order of their calls. */
int function_orders_by_start(const struct function_graph *g, uint32_t *order);
