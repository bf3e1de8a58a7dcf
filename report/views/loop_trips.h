/* SPDX-License-Identifier: MIT */
/*
 * How often loops turn each time that they are entered, as traces show it: the head of a loop is
 * counted from one way in to the next way out, on the level of calls where it is.
 *
 * Traces end. Of a loop that was entered but not left before that, only the least number of turns
 * is known. Leaving such entries out would favour short loops; they are censored observations, of
 * which E. L. Kaplan and P. Meier (1958) tell how to estimate the distribution. Loops that a trace
 * begins in count for nothing.
 */
#ifndef REPORT_VIEWS_LOOP_TRIPS_H
#define REPORT_VIEWS_LOOP_TRIPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "report/views/followed_traces.h"
#include "report/views/traced_code.h"

/* A loop that is being run, of the frame at hand or of one that called it. */
struct loop_run {
	uint32_t loop; /* in its function */
	uint64_t turns;
	bool entered; /* while the trace ran */
};

struct loop_frame {
	uint32_t function, block; /* TRACED_NONE: not known */
	size_t first;		  /* of its loops among those that are run */
};

struct loop_trips {
	struct traced_code code;
	VECTOR(struct map)
	turns; /* by loop: (turns, 0) -> n = times, m = times that it was at least
		  so many when the trace ended */
	VECTOR(struct loop_run) runs;
	VECTOR(struct loop_frame) frames;
};

/* What is known of one loop. */
struct loop_summary {
	uint64_t entries, cut; /* seen; of them those that the trace ended in */
	uint64_t most;	       /* turns of one entry, at least */
	bool has_median, has_p90, has_mean;
	uint64_t median, p90;
	double mean;
};

/* Start zeroed but for code.view. Each 0, or -1 without memory. */
int loop_trips_add(struct loop_trips *t, const struct followed_traces *all,
		   const struct followed_trace *trace);
void loop_trips_deinit(struct loop_trips *t);
/* @turns: of one loop. */
int loop_trips_summarize(const struct map *turns, struct loop_summary *out);

#endif
