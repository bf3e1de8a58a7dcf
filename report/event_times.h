/* SPDX-License-Identifier: MIT */
/*
 * The events of a recording: how long each was counted, and what its counts come to. With more
 * events than counters the kernel lets them take turns; a count is then scaled by the time that it
 * was meant to be counted and the time that it was, enabled / running.
 */
#ifndef REPORT_EVENT_TIMES_H
#define REPORT_EVENT_TIMES_H

#include "converter/pipeline/conversion.h"
#include "report/document.h"

/* Below that share of its time an event's scaled count is no more than a guess. */
#define EVENT_TIMES_ENOUGH 0.25

/* Put the table, at most @top rows, and a fact that warns of events that hardly ran. */
void event_times_put(struct document *s, const struct aggregate_result *r, size_t top);

#endif
