/* SPDX-License-Identifier: MIT */
/* What it costs a thread to be interrupted by a sampling event, measured. */
#ifndef COLLECTOR_MACHINE_INTERRUPT_MEASURE_H
#define COLLECTOR_MACHINE_INTERRUPT_MEASURE_H

#include <stdint.h>

#include "collector/engine/rate.h"
#include "collector/kernel/event.h"

/* m->interrupt_ps, by @event, which is of time; m->tick_1024_ps is known. Up to the handler if the
 * event has sigtrap, and up to where the kernel disables it if it is asynchronous: as recording
 * from inside and from outside see it. Takes some 2 ms of the calling thread, with a SIGTRAP
 * handler of its own. It stays 0 where that can't be had: then no path is timed by an interrupt. */
void interrupt_measure(struct rate_machine *m, const struct event *event);

#endif
