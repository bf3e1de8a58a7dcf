/* SPDX-License-Identifier: MIT */
/*
 * Counting steps of control flow, and what hardware tells of them, in other threads than the one
 * that reads them. Counts are sums, so the result does not depend on how many threads there are.
 * Threads get the steps of a space when its table is large: one that stays in the caches is counted
 * faster than handed over. Steps of which something is told take several tables each: threads get
 * all of those.
 */
#pragma once

#include <stddef.h>

#include "converter/samples/address_space.h"
#include "converter/samples/steps.h"

/* So many distinct steps of a space are counted by the caller; a step takes 32 bytes, its table up
 * to twice that. */
#define STEP_COUNTER_ALONE 16384

struct step_counter;

/* For @threads threads, the calling one included; NULL without memory. */
struct step_counter *step_counter_new(unsigned threads);
/* Count @count steps of @space and, unless @told is NULL, what is told of each, none of which has
 * an n of 0 then. Returns 0, or -1 without memory. */
int step_counter_add(struct step_counter *c, struct address_space *space, const struct step *items,
		     const struct step_told *told, size_t count);
/* Wait until all that was added is in the `steps` and `details` of its space: 0, or -1 without
 * memory. */
int step_counter_finish(struct step_counter *c);
/* Ends the threads; what is not finished is lost. NULL is fine. */
void step_counter_free(struct step_counter *c);
