/* SPDX-License-Identifier: MIT */
/* How often each piece of a function's code ran, by a sweep over the ranges that ran. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

/* Code [begin,end) that ran @count times. */
struct segment {
	uint64_t begin, end, count;
};

struct segment_edge {
	uint64_t at, count;
	bool ends;
};

/* Start zeroed. */
struct segments {
	VECTOR(struct segment) list; /* ascending, disjoint; those that did not run are left out */
	VECTOR(struct segment_edge) edges;
};

void segments_deinit(struct segments *s);
void segments_clear(struct segments *s);
/* [begin,end) ran @count times more. -1 without memory. */
int segments_add(struct segments *s, uint64_t begin, uint64_t end, uint64_t count);
/* Make the list of what was added. -1 without memory. */
int segments_sweep(struct segments *s);
uint64_t segments_count_at(const struct segments *s, uint64_t va);
