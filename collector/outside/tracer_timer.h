/* SPDX-License-Identifier: MIT */
/* When a tracer stops threads for a sample. */
#ifndef COLLECTOR_OUTSIDE_TRACER_TIMER_H
#define COLLECTOR_OUTSIDE_TRACER_TIMER_H

#include "collector/outside/tracer.h"

/* Stop the threads that are running now. */
void tracer_timer_tick(struct tracer *t);
/* How long until the next tick, ns: around the period, at random. */
uint64_t tracer_timer_draw(struct tracer *t);

#endif
