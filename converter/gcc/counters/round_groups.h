/* SPDX-License-Identifier: MIT */
/* Which instances of a function are solved as one. */
#ifndef CONVERTER_GCC_COUNTERS_ROUND_GROUPS_H
#define CONVERTER_GCC_COUNTERS_ROUND_GROUPS_H

#include "converter/gcc/counters/rounds.h"

/* Of function number @number, which has none. 0, or -1 without memory. */
int round_groups_make(const struct rounds *r, uint32_t number, struct round_function *f);
/* Groups, and what was solved. */
void round_groups_clear(struct round_function *f);
void round_groups_deinit(struct round_function *f);

#endif
