/* SPDX-License-Identifier: MIT */
/*
 * Which branch follows the last four, and how often: what hot paths are made of. Only branches that
 * are hot themselves have numbers here, so that memory stays small whatever was recorded.
 */
#ifndef REPORT_VIEWS_PATH_COUNTS_H
#define REPORT_VIEWS_PATH_COUNTS_H

#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "report/views/followed_traces.h"

#define PATH_MEMORY 4 /* branches that are remembered */

/* A hot branch; number 0 is all others. */
struct path_branch {
	uint32_t branch; /* among the followed ones */
	uint64_t count;	 /* as the profile has it */
};

/* What followed a history of a certain length. */
struct path_successor {
	uint64_t history; /* up to four numbers, the newest in the lowest 16 bits */
	uint16_t next;
	uint64_t times;
};

/* A branch that followed four others. */
struct path_edge {
	uint64_t history, times;
	uint32_t last; /* the edge that came behind it last + 1; 0 = none */
	uint16_t next;
};

struct path_counts {
	VECTOR(struct path_branch) hot;
	uint64_t sum;		  /* of the profile's branches */
	VECTOR(uint16_t) numbers; /* by followed branch */
	VECTOR(struct path_edge) edges;
	struct map edge_numbers; /* (history, next) -> n = index of the edge + 1 */
	/* by history, then by falling times: of one to four branches */
	VECTOR(struct path_successor) successors[PATH_MEMORY];
};

/* Start zeroed, but for the sum. Each 0, or -1 without memory. */
int path_counts_add(struct path_counts *c, const struct followed_traces *all,
		    const struct followed_trace *t);
/* When all were added. */
int path_counts_finish(struct path_counts *c);
void path_counts_deinit(struct path_counts *c);

/* What followed @history of the last @length branches, as much of it as was seen; *count of them,
 * by falling times, *all times together. None: NULL. */
const struct path_successor *path_counts_next(const struct path_counts *c, uint64_t history,
					      unsigned length, size_t *count, uint64_t *all);

#endif
