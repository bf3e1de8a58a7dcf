/* SPDX-License-Identifier: MIT */
/* What a tracer does when a thread stops, or ends. */
#ifndef COLLECTOR_OUTSIDE_TRACER_STOPS_H
#define COLLECTOR_OUTSIDE_TRACER_STOPS_H

#include "collector/outside/tracer.h"

/* All that has happened since the last call. */
void tracer_stops_reap(struct tracer *t);

#endif
