/* SPDX-License-Identifier: MIT */
/*
 * How fast a traced thread runs: the stopwatch (collector/engine/stopwatch.h) of a trace that is
 * complete, before it is written. Its landmarks are timed by the kernel (tracee_events.h), and the
 * thread stops at the last one.
 */
#ifndef COLLECTOR_OUTSIDE_TRACER_STRETCH_H
#define COLLECTOR_OUTSIDE_TRACER_STRETCH_H

#include "collector/outside/tracer.h"

/* The thread's trace is complete: is it one that may be timed? */
bool tracer_stretch_is_wanted(const struct tracer *t, const struct traced *thread);
/* If so, and it is stopped: let it run to the last landmark. False: there is nothing to time. */
bool tracer_stretch_start(struct tracer *t, struct traced *thread);
/* It came there. */
void tracer_stretch_end(struct tracer *t, struct traced *thread);
/* The weight of the thread's trace, branches per time times the distance of samples. */
void tracer_stretch_tell(struct tracer *t, struct traced *thread,
			 struct trace_record_sample *sample);

#endif
