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
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "converter/cfg/blocks.h"
#include "report/views/followed_traces.h"

/* ---- the code of traces -------------------------------------------------------------------- */

/* In which block of which function the places of traces are, and in which loops. */
#define TRACED_NONE UINT32_MAX

struct traced_function {
	size_t part;
	const struct binary_function *function;
	const struct blocks *blocks;
	struct loops loops;
	uint32_t first_loop; /* numbers of loops go through all functions */
};

struct traced_block {
	uint32_t function, block; /* numbers; TRACED_NONE: in no code that is known */
	bool begins;		  /* the place is the block's first instruction */
};

/* A followed branch. */
struct traced_branch {
	struct traced_block from, to;
	uint8_t kind; /* enum isa_kind */
};

struct traced_code {
	struct view *view;
	VECTOR(struct block_finder *) finders; /* by part; NULL = not yet asked for */
	VECTOR(struct traced_function) functions;
	struct map numbers;		       /* (function's begin, part) -> n = number + 1 */
	VECTOR(struct traced_block) blocks;    /* by number of a followed place */
	VECTOR(struct traced_branch) branches; /* by number of a followed branch */
	uint32_t loop_count;
};

/* ---- loops --------------------------------------------------------------------------------- */

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
