/* SPDX-License-Identifier: MIT */
/*
 * The stopwatch's breakpoints (collector/engine/stopwatch.h) in a profiled thread: around a segment
 * of a trace that is complete, before it is written. Used in the signal handler.
 */
#pragma once

#include "collector/inside/handler/thread.h"

/* The thread's trace is complete: is it one that may be timed? */
bool timed_segment_is_wanted(const struct thread *t);
/* If so: wait for its first first-touch point. False: it is not to be timed. */
bool timed_segment_start(struct thread *t);

enum timed_segment {
	TIMED_SEGMENT_GOES_ON,
	TIMED_SEGMENT_OVER,	 /* the trace is to be finished, timed or not */
	TIMED_SEGMENT_ELSEWHERE, /* the same: the thread is not where it was to be found */
};

/* A first-touch point's breakpoint was hit. @ticks: when its signal came; @late: it came late. */
enum timed_segment timed_segment_hit(struct thread *t, const void *context, bool late,
				     uint64_t ticks);
/* There is none: let a sample interrupt the thread instead, soon. False: no sample would. */
bool timed_segment_interrupt(struct thread *t);
/* It did, at @ticks: is the thread found on the path, or behind it, and so timed? */
enum timed_segment timed_segment_interrupted(struct thread *t, const void *context, uint64_t ticks);
/* What came of interrupting it is counted. */
void timed_segment_count(const struct thread *t);
/* The weight of the thread's trace, branches per time times the interval of samples, and the times
 * of its path. */
void timed_segment_weigh(const struct thread *t, struct trace_record_sample *sample);
