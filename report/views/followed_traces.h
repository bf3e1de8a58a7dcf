/* SPDX-License-Identifier: MIT */
/*
 * A recording's traces, one after the other, as branches between places of the report's parts: for
 * views that ask what came after what. The recording is read again for them, so that their number
 * costs no memory.
 */
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "report/views/view.h"

struct followed_place {
	size_t part; /* VIEW_NO_PART: the kernel, or what is not reported */
	uint64_t va; /* as in the part's profile; without a part as it was recorded */
};

/* From the target of a branch to the next branch instruction. */
struct followed_range {
	size_t part;
	uint64_t begin, end;
};

/* A distinct branch: numbers of places. */
struct followed_branch {
	uint32_t from, to;
	uint8_t kind; /* enum isa_kind; ISA_UNKNOWN where there is no code to see */
};

struct followed_traces {
	struct view *view;
	bool call_stacks; /* set before: recorded call stacks are handed on, too */
	bool callers;	  /* set before: those of copied stacks are wanted */
	VECTOR(struct followed_place) places;
	VECTOR(struct followed_branch) branches;
	struct map place_numbers;  /* (address, part + 1) -> n = number + 1 */
	struct map branch_numbers; /* (from, to), as places -> n = number + 1 */
	/* of the trace at hand, and of the recording's own branches, by number; + 1, 0 = not yet
	 * looked up */
	VECTOR(uint32_t) entries, numbers;
};

struct followed_trace {
	const uint32_t *branches; /* numbers, oldest first; at least one */
	size_t count;
	uint64_t times;	    /* it was seen */
	uint64_t weight;    /* the recorder's; 0 = none */
	bool is_call_stack; /* as in struct trace */
	/* Calls that had not returned where it began, innermost first, each as its last byte, by
	 * the stack that was copied there */
	bool has_copy;
	const struct followed_place *callers;
	size_t caller_count;
	bool callers_whole;    /* no more are missing */
	uint64_t callers_left; /* the first so many have been returned to: of a call stack */
};

/* 0, or -1 without memory. */
typedef int followed_taker(void *context, const struct followed_traces *all,
			   const struct followed_trace *t);

/*
 * Hand each trace to @take. @all starts zeroed, and keeps places and branches until
 * followed_traces_deinit. A recording whose event leaves branches out has no traces, and counts of
 * addresses have none either. 0, or -1 without memory.
 */
int followed_traces_each(struct followed_traces *all, struct view *v, followed_taker *take,
			 void *context);
void followed_traces_deinit(struct followed_traces *all);

/* Where a branch begins and where it goes to. */
const struct followed_place *followed_traces_from(const struct followed_traces *all,
						  uint32_t branch);
const struct followed_place *followed_traces_to(const struct followed_traces *all, uint32_t branch);
/* The straight-line code between two branches that follow each other; false if it is in no part. */
bool followed_traces_range(const struct followed_traces *all, uint32_t branch, uint32_t next,
			   struct followed_range *out);

/* ---- samples ------------------------------------------------------------------------------- */

struct perfdata_event;

/* A moment that was sampled. */
struct followed_sample {
	const struct perfdata_event *event;
	struct followed_place at;
	uint32_t pid, tid;
	uint64_t time_ns; /* 0: not known */
	uint64_t period;
	uint64_t times; /* there are so many like it */
};

/* 0, or -1 without memory. */
typedef int followed_sampler(void *context, const struct followed_sample *s);

/* Hand each sample to @take, in the order of the file; counts have none. 0, or -1 without memory.
 */
int followed_samples_each(struct view *v, followed_sampler *take, void *context);

/* ---- the calls above them (call_paths.c) --------------------------------------------------- */

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
