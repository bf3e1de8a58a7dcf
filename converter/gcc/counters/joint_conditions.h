/* SPDX-License-Identifier: MIT */
/*
 * Conditions that the compiler tests by one jump: those of `a && b`, `a || b`, or of nested ones.
 * Each leads to the next one, or to a place that is the same for all.
 */
#ifndef CONVERTER_GCC_COUNTERS_JOINT_CONDITIONS_H
#define CONVERTER_GCC_COUNTERS_JOINT_CONDITIONS_H

#include "converter/gcc/counters/observations.h"
#include "converter/gcc/counters/ways.h"

#define JOINT_CONDITIONS_MOST 8

struct joint_conditions {
	uint32_t blocks[JOINT_CONDITIONS_MOST]; /* that they end, in order */
	uint32_t arcs[JOINT_CONDITIONS_MOST];	/* from each to the next one */
	size_t count;
};

/* All that @j tests, which is made from the condition of @block: that one alone as a rule. */
void joint_conditions_find(struct joint_conditions *c, const struct ways *w,
			   const struct observations *o, const struct observed_jump *j,
			   uint32_t block);
/* How often the jump goes on to another one of the same place, which tests the rest of them. False
 * if it does not. */
bool joint_conditions_go_on(const struct observations *o, const struct observed_jump *j,
			    uint64_t *times);
/* The one of the last condition's two arcs that the one before it has no like of. */
uint32_t joint_conditions_last(const struct joint_conditions *c, const struct ways *w);
/* All of them hold @on of @all times, and nothing says which does not: by its share each holds as
 * often as the others. How often the arc behind condition @i is gone. */
uint64_t joint_conditions_times(const struct joint_conditions *c, size_t i, uint64_t all,
				uint64_t on);

#endif
