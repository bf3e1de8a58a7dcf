/* SPDX-License-Identifier: MIT */
/* What a recording says of itself: who made it, and how long each of its events was counted. */
#pragma once

#include "base/file.h"
#include "converter/pipeline/conversion.h"
#include "report/document.h"

/* Add what the header of a perf.data says of its making; nothing if it is damaged, which is for the
 * reading of the whole to find. */
void recording_facts_put_origin(struct document *s, const struct file_view *view, const char *path);

/* Say whose code was copied to anonymous memory, if any was. */
void recording_facts_put_copied(struct document *s, const struct aggregate_result *r);

/* Below that share of its time an event's scaled count is no more than a guess. */
#define RECORDING_FACTS_ENOUGH 0.25

/*
 * Put a table of the events, at most @top rows, and a fact that warns of events that hardly ran.
 * With more events than counters the kernel lets them take turns; a count is then scaled by the
 * time that it was meant to be counted and the time that it was, enabled / running.
 */
void recording_facts_put_events(struct document *s, const struct aggregate_result *r, size_t top);
