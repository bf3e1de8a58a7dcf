/* SPDX-License-Identifier: MIT */
/*
 * Branch profile: what was seen of one module's control flow, at ELF virtual addresses. Nothing of
 * source. (docs/design.md, "Words".)
 *
 * What hardware says of branches beside that they were taken: how they were predicted, and how many
 * cycles there were between two of them. Software traces say neither; what they can be recorded
 * with is here as well.
 */
#pragma once

#include "base/map.h"

/* Stands for `from` or `to` in another module (or in no module that is known). */
#define BRANCH_OUTSIDE UINT64_MAX
/* No straight line of real code is longer, as autofdo and llvm-profgen have it: such a range is of
 * a stack with a hole in it. */
#define RANGE_BYTES_MAX (UINT64_C(1) << 20)

struct build_id {
	uint8_t size; /* 0 = unknown, at most 20 */
	uint8_t bytes[20];
};

struct branch_profile {
	char *path; /* owned; may be NULL */
	struct build_id build_id;
	/* (from,to) -> n = times taken, m = of them mispredicted. Either end may be BRANCH_OUTSIDE,
	 * not both. `from` is the address of the branch instruction. */
	struct map branches;
	/* (begin,end) -> n = times run through. Both inclusive; end is the start of the branch
	 * instruction that ended the range. */
	struct map ranges;
	/* (ip,event) -> n = samples taken there (a trace's start, or an IP-only sample), or the sum
	 * of their periods; then m = how many they are. Which event:
	 * converter/samples/sample_events.h, or 0.
	 */
	struct map samples;
};

/* Start zeroed. */
void branch_profile_deinit(struct branch_profile *p);
/* Add to a count; 0, or -1 without memory. */
int branch_profile_add_branch(struct branch_profile *p, uint64_t from, uint64_t to, uint64_t count,
			      uint64_t mispredicted);
int branch_profile_add_range(struct branch_profile *p, uint64_t begin, uint64_t end,
			     uint64_t count);
int branch_profile_add_sample(struct branch_profile *p, uint64_t ip, uint64_t count);
int branch_profile_add_event(struct branch_profile *p, uint64_t ip, uint64_t event, uint64_t count,
			     uint64_t samples);

/* The sums by which a subtraction would have made counts negative. */
struct branch_profile_clamped {
	uint64_t branches, ranges, samples;
};

/* Take the counts of @other away; none falls below 0, and what is 0 is not in @p any more. Adds to
 * @clamped. 0, or -1 without memory. */
int branch_profile_subtract(struct branch_profile *p, const struct branch_profile *other,
			    struct branch_profile_clamped *clamped);

/* perf before 5.12 pads ids with zeros to 20 bytes and keeps no size: padding does not count. */
bool branch_profile_same_build(const struct build_id *a, const struct build_id *b);
/* Hexadecimal, NUL-terminated; @text has room for 41 bytes. "unknown" if size is 0. */
void branch_profile_build_id_text(const struct build_id *id, char *text);

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
/* Each adds to counts; 0, or -1 without memory. A latency that is of no range does not count. */
int branch_details_add_outcome(struct branch_details *d, uint64_t from, uint64_t to,
			       uint64_t predicted, uint64_t mispredicted);
int branch_details_add_latency(struct map *latencies, const struct branch_latency *l,
			       uint64_t times);
/* @traces that begin at @va take @ps together; to one of the maps of those. */
int branch_details_add_path(struct map *paths, uint64_t va, uint64_t traces, uint64_t ps);
/* The latency that an entry of the maps stands for. */
struct branch_latency branch_details_latency(const struct map_entry *entry);
