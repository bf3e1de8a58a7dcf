/* SPDX-License-Identifier: MIT */
/*
 * What hardware says of branches beside that they were taken: how they were predicted, and how many
 * cycles there were between two of them. Software traces say neither; what they can be recorded
 * with is here as well.
 */
#ifndef FORMATS_MODEL_BRANCH_DETAILS_H
#define FORMATS_MODEL_BRANCH_DETAILS_H

#include <stdint.h>

#include "base/map.h"

enum branch_prediction { BRANCH_UNTOLD, BRANCH_PREDICTED, BRANCH_MISPREDICTED };

/* A run of the straight-line code between two taken branches. */
struct branch_latency {
	uint64_t begin, end;	       /* as of a range; at most RANGE_BYTES_MAX apart */
	uint16_t cycles;	       /* from the one branch to the other */
	enum branch_prediction before; /* of the branch that led in */
};

/* Addresses are as in struct branch_profile. */
struct branch_details {
	/* (from, to) -> n = predicted, m = mispredicted; branches whose entries say neither are not
	 * in it */
	struct map outcomes;
	/* both by branch_details_add_latency() -> n = times: of ranges; and of a loop's iterations,
	 * each from one time that its back edge was taken to the next, which are [target, source]
	 * of the back edge */
	struct map latencies, iterations;
	/* Of software traces (record --times): as latencies of one instruction, ticks of its loads
	 * of cache lines that look-ahead timed */
	struct map loads;
	/* (where a trace begins, 0) -> n = traces, m = ps: by the model of all, and by the program
	 * of those that were timed; and by the model of these alone */
	struct map model, timed, timed_model;
};

/* Start zeroed. */
void branch_details_deinit(struct branch_details *d);
/* Each adds to counts; 0, or -1 without memory. A latency that is of no range counts for nothing.
 */
int branch_details_add_outcome(struct branch_details *d, uint64_t from, uint64_t to,
			       uint64_t predicted, uint64_t mispredicted);
int branch_details_add_latency(struct map *latencies, const struct branch_latency *l,
			       uint64_t times);
/* @traces that begin at @va take @ps together; to one of the maps of those. */
int branch_details_add_path(struct map *paths, uint64_t va, uint64_t traces, uint64_t ps);
/* What an entry stands for. */
struct branch_latency branch_details_latency(const struct map_entry *entry);

#endif
