/* SPDX-License-Identifier: MIT */
/*
 * Performance events of recordings without branch stacks: which ones tell how often code ran, and
 * which ones how long it stalled.
 */
#pragma once

#include <linux/perf_event.h>

#include "base/map.h"
#include "formats/model/branch_profile.h"
#include "formats/perfdata.h"

enum sample_event {
	IP_OTHER,	 /* of no known meaning: counted as if it were instructions */
	IP_INSTRUCTIONS, /* retired */
	IP_CYCLES,
	IP_CLOCK,
	IP_DTLB_MISSES,
	IP_CACHE_MISSES, /* of the last level */
	IP_BRANCH_MISSES,
	IP_EVENTS
};

enum sample_event sample_event_of(const struct perf_event_attr *attr);
/* The event of @p that is nearest to how often instructions ran. */
enum sample_event sample_events_best(const struct branch_profile *p);
/* Cycles that the CPU waits each time, on average; 0 if the event is none of waiting. @cpu as perf
 * names it, NULL = unknown. */
unsigned sample_event_stall_cycles(const char *cpu, enum sample_event event);

/* How long events were meant to be counted, and were: with more events than counters the kernel
 * lets them take turns, and each sample stands for more. Start zeroed. */
struct sample_times {
	struct map of_id; /* (the recording's id, event) -> n = enabled, m = running */
};

void sample_times_deinit(struct sample_times *t);
/* 0, or -1 without memory. */
int sample_times_add(struct sample_times *t, const struct perf_event_attr *attr,
		     const struct perfdata_sample *sample);
/* @count times what was enabled, by what was running. */
uint64_t sample_times_scaled(const struct sample_times *t, uint64_t event, uint64_t count);
