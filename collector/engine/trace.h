/* SPDX-License-Identifier: MIT */
/* A trace: consecutive taken branches of one thread, oldest first; and which of them are recorded.
 */
#pragma once

#include <stdint.h>

#define TRACE_DEPTH_MAX 4096u

struct trace_entry {
	uint64_t from, to;
};

struct trace {
	uint64_t start; /* the pc where the sample found the thread */
	unsigned count;
	struct trace_entry *entries; /* room for the depth; borrowed */
	uint8_t *kinds;		     /* enum isa_kind of each; the same */
};

/* As a CPU's branch records can be told to (branch_sample_type, linux/perf_event.h). */
enum trace_filter {
	TRACE_ALL,
	TRACE_CALLS,
	TRACE_RETURNS,
	TRACE_CONDITIONAL,
	TRACE_INDIRECT,	  /* jumps and calls */
	TRACE_CALL_STACK, /* calls; each is dropped at its return, as in hardware's call-stack mode
			   */
	TRACE_FILTERS
};

/* "any", "call"...; NULL for TRACE_FILTERS. */
const char *trace_filter_text(enum trace_filter filter);
/* PERF_SAMPLE_BRANCH_* of it, without the privilege levels. */
uint64_t trace_filter_sample_type(enum trace_filter filter);
/* Drop what is not wanted of a complete trace, whose kinds are known. A call stack is that of the
 * trace's end, so that is where the trace starts then. For signal handlers. */
void trace_filter_apply(struct trace *t, enum trace_filter filter);
