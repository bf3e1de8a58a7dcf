/* SPDX-License-Identifier: MIT */
/*
 * Instances of a function in the program: its own code, and each chain of calls that it was inlined
 * through. Equal chains are one, in however many places of the code they are.
 */
#ifndef CONVERTER_GCC_COUNTERS_CONTEXTS_H
#define CONVERTER_GCC_COUNTERS_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"

#define CONTEXT_NONE UINT32_MAX

/* What is around a function where it stands: a symbol, or a call in a function that has a context
 * of its own. */
struct context {
	uint32_t parent; /* of the caller; CONTEXT_NONE: `function` is the symbol itself */
	uint32_t name;	 /* of the symbol or the caller, as the debug information numbers it */
	uint32_t caller; /* the same as a function of the key index, or KEY_NONE */
	uint32_t line, column; /* of the call */
};

/* Calls that were inlined before gcc counts, from the outermost on; number 0 is none. */
struct context_inner {
	uint32_t outer;
	uint32_t line, column;
};

/* Start zeroed. */
struct contexts {
	VECTOR(struct context) items;
	VECTOR(struct context_inner) inner;
	struct map known, known_inner;
};

void contexts_deinit(struct contexts *c);
/* The number of an equal context, or CONTEXT_NONE without memory. */
uint32_t contexts_add(struct contexts *c, const struct context *one);
/* The number of an equal one, or 0 without memory. */
uint32_t contexts_add_inner(struct contexts *c, const struct context_inner *one);
/* Which comes first in the source: as strcmp. */
int contexts_compare_inner(const struct contexts *c, uint32_t a, uint32_t b);

static inline bool context_is_symbol(const struct contexts *c, uint32_t number)
{
	return c->items.items[number].parent == CONTEXT_NONE;
}

#endif
