/* SPDX-License-Identifier: MIT */
/* The instances of all functions that were observed, and the calls that they are inlined at. */
#ifndef CONVERTER_COUNTERS_ROUND_INSTANCES_H
#define CONVERTER_COUNTERS_ROUND_INSTANCES_H

#include "converter/counters/rounds.h"

/* Of all observations; functions without any have none. 0, or -1 without memory. */
int round_instances_find(struct rounds *r);
/* The number of a call site of a function in a context (CONTEXT_NONE: in whichever); CONTEXT_NONE
 * without memory. */
uint32_t round_instances_site(struct rounds *r, uint32_t function, uint32_t context, uint32_t line,
			      uint32_t column);

#endif
