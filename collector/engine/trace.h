/* SPDX-License-Identifier: MIT */
/* A trace: consecutive taken branches of one thread, oldest first; and which of them are recorded.
 */
#pragma once

#include "isa/isa.h"

#define TRACE_DEPTH_MAX 4096u

struct trace {
	uint64_t start; /* the pc where the sample found the thread */
	unsigned count;
	struct isa_taken *entries; /* room for the depth; borrowed */
	uint8_t *kinds;		   /* enum isa_kind of each; the same */
};

/*
 * Which branches of a trace are recorded, as a CPU's branch records can be told to: any of the
 * PERF_SAMPLE_BRANCH_* of linux/perf_event.h but the privilege levels; 0: all of them. Of a call
 * stack they are calls, each of which is dropped at its return, as in hardware's call-stack mode.
 */
#define TRACE_FILTER_TEXT_BYTES 64

/* Read "call,return" or perf's "any_call,any_ret,u". False: *wrong is the word that is unknown, or
 * that can't be with those before it. */
bool trace_filter_read(const char *text, uint32_t *filter, const char **wrong);
/* "any", "call,return"...: @text, into which it is written. */
const char *trace_filter_text(uint32_t filter, char text[TRACE_FILTER_TEXT_BYTES]);
/* PERF_SAMPLE_BRANCH_* of it, of all branches too. */
uint64_t trace_filter_sample_type(uint32_t filter);
bool trace_filter_is_call_stack(uint32_t filter);
/* Drop what is not wanted of a complete trace, whose kinds are known. A call stack is that of the
 * trace's end, so that is where the trace starts then. Returns how many callers of where it began
 * it went back to, of a call stack. For signal handlers. */
unsigned trace_filter_apply(struct trace *t, uint32_t filter);
