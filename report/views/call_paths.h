/* SPDX-License-Identifier: MIT */
/*
 * Which calls led to the code of a recording, by replaying its traces: a call pushes its caller, a
 * return pops it. At the beginning of a trace no caller is known; a return that nothing was pushed
 * for reveals one, which was a caller from the beginning on. Where the stack was copied, all are
 * known from the beginning on; the trace's returns have to agree. Recorded call stacks are taken as
 * they are, below the callers of their copied stack.
 */
#pragma once

#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "report/views/followed_traces.h"

/* The paths above the callers that were revealed, and above those that are all. */
#define CALL_PATH_UNKNOWN 0u
#define CALL_PATH_BOTTOM  1u
#define CALL_PATHS_FIRST  2u

struct call_path {
	uint32_t parent; /* a number of paths, smaller than its own; of the first two themselves */
	struct followed_place call; /* the last byte of the call */
};

/* Straight code that was run below a path. */
struct call_run {
	uint32_t path;
	struct followed_range code;
	double weighed,
		plain; /* times: by rates, and of traces without one; see call_paths_times */
};

struct call_paths {
	struct followed_traces traces;
	VECTOR(struct call_path) paths;
	VECTOR(struct call_run) runs;
	uint64_t samples;	 /* traces, or recorded call stacks */
	bool call_stacks;	 /* there are of the latter: times are of samples */
	uint64_t copies;	 /* traces whose stack was copied */
	uint64_t copies_whole;	 /* of them those whose callers are all known by it */
	uint64_t copies_wrong;	 /* and those that returned to others than the copy has */
	uint64_t switches;	 /* returns to where no call was: of coroutines */
	double rated, rates;	 /* traces with a rate; their rates' sum */
	struct map path_numbers; /* (parent, part and address) -> n = number + 1 */
	struct map ranges;	 /* (branch, next) -> n = number + 1 */
	struct map run_numbers;	 /* (path, range) -> n = number + 1 */
};

/* Replay all traces. @p starts zeroed, and is ended by call_paths_deinit also on failure. 0, or -1
 * without memory. */
int call_paths_make(struct call_paths *p, struct view *v);
void call_paths_deinit(struct call_paths *p);
/* How often code ran, in traces of the mean rate. */
double call_paths_times(const struct call_paths *p, const struct call_run *run);
