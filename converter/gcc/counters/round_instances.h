/* SPDX-License-Identifier: MIT */
/* The instances of all functions that were observed, and the calls that they are inlined at. */
#ifndef CONVERTER_GCC_COUNTERS_ROUND_INSTANCES_H
#define CONVERTER_GCC_COUNTERS_ROUND_INSTANCES_H

#include "converter/gcc/counters/rounds.h"

/* Of all observations; functions without any have none. 0, or -1 without memory. */
int round_instances_find(struct rounds *r);

#endif
