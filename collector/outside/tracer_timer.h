/* SPDX-License-Identifier: MIT */
/* When a tracer stops threads for a sample. */
#ifndef COLLECTOR_OUTSIDE_TRACER_TIMER_H
#define COLLECTOR_OUTSIDE_TRACER_TIMER_H

#include "collector/outside/tracer.h"

/* Stop the threads that are running now and have no clock. */
void tracer_timer_tick(struct tracer *t);
/* How long until the next tick, ns: around the period, at random. */
uint64_t tracer_timer_draw(struct tracer *t);

/* Now and then: see that threads have events, and that their signals still do. */
void tracer_timer_look(struct tracer *t);
/* Sampling goes on or pauses, for all threads. */
void tracer_timer_switch(struct tracer *t, bool on);

#endif
