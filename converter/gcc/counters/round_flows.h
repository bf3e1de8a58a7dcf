/* SPDX-License-Identifier: MIT */
/* The flow problems of one function in one round: one for each group of its instances. */
#ifndef CONVERTER_GCC_COUNTERS_ROUND_FLOWS_H
#define CONVERTER_GCC_COUNTERS_ROUND_FLOWS_H

#include "converter/gcc/counters/instance_flow.h"
#include "converter/gcc/counters/rounds.h"

/* All of function number @number, anew. 0, or -1 without memory. */
int round_flows_solve(struct rounds *r, uint32_t number);
/* Solve @problem, for group @g of function @f, and add its flow to the function's. One that has no
 * solution adds nothing. 0, or -1 without memory. */
int round_flows_add(struct rounds *r, struct round_function *f, struct round_group *g,
		    const struct instance_flow *problem);

#endif
