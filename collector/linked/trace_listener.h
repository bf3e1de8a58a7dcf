/* SPDX-License-Identifier: MIT */
/* Who links the collector may hear of each trace (softlbr_collector_options.trace). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "softlbr/collector.h"

struct trace_listener {
	void (*trace)(void *context, const struct softlbr_collector_trace *trace);
	void *context;
	bool tagged; /* the session's records have an event's number */
};

/* Tell of each trace among whole records, which were checked. */
void trace_listener_tell(const struct trace_listener *l, const void *records, size_t bytes);
