/* SPDX-License-Identifier: MIT */
/*
 * Functions that ran and the calls between them: what an order of functions in the program is made
 * of.
 */
#pragma once

#include <stdint.h>

#include "base/vector.h"

struct graph_function {
	const char *name;  /* the ELF symbol, borrowed from the binary */
	uint64_t size;	   /* of its code, in bytes; at least 1 */
	uint64_t weight;   /* bytes of code that ran in it, each time counted */
	uint64_t first_ns; /* when it ran first, on the recording's clock; 0 = not known */
};

struct graph_call {
	uint32_t from, to; /* indices of functions; never the same */
	uint64_t n;	   /* times */
	uint64_t offset;   /* of the call in its function, in bytes; the mean of several */
};

struct function_graph {
	VECTOR(struct graph_function) functions; /* as they are in the binary */
	VECTOR(struct graph_call) calls;	 /* by from, then to; no two alike */
};

/* Start zeroed; frees. */
static inline void function_graph_deinit(struct function_graph *g)
{
	vector_deinit(&g->functions);
	vector_deinit(&g->calls);
}
