/* SPDX-License-Identifier: MIT */
/* One thread's trace, from sample to record: the tracer's operations (collector/session/drive.h).
 */
#ifndef COLLECTOR_OUTSIDE_TRACER_TRACE_H
#define COLLECTOR_OUTSIDE_TRACER_TRACE_H

#include "collector/outside/tracer.h"

/* The thread is stopped at a sample: make a trace, or set a breakpoint for it. */
int tracer_trace_begin(struct tracer *t, struct traced *thread,
		       const struct tracee_registers *registers);
/* It is stopped at its breakpoint. */
int tracer_trace_resume(struct tracer *t, struct traced *thread);
/* Give the trace up where it is; the breakpoint goes if @alive. */
int tracer_trace_cut(struct traced *thread, bool alive);
/* The same, should there be one: something else came before its breakpoint was hit. */
int tracer_trace_lose(struct traced *thread, bool alive);
void tracer_trace_init(struct tracer *t);
/* The mean distance of a thread's samples, ns: the period, or more where traces cost more than
 * their part of the time. */
uint64_t tracer_trace_distance_ns(const struct tracer *t);

#endif
