/* SPDX-License-Identifier: MIT */
#include "collector/linked/trace_listener.h"

#include "collector/engine/trace_record.h"
#include "collector/shared/session.h"

static void tell(const struct trace_listener *l, const struct trace_record_read *r)
{
	struct softlbr_collector_branch branches[SESSION_STACK];
	const struct softlbr_collector_trace t = {.size = sizeof(t),
						  .branches = branches,
						  .count = r->count,
						  .start = r->start,
						  .tid = r->tid,
						  .time_ns = r->time,
						  .weight = r->weight};

	for (size_t i = 0; i < r->count; i++)
		branches[i] = (struct softlbr_collector_branch){r->stack[i].from, r->stack[i].to};
	l->trace(l->context, &t);
}

void trace_listener_tell(const struct trace_listener *l, const void *records, size_t bytes)
{
	const struct perf_event_header *h;
	struct trace_record_read r;

	for (size_t at = 0; (h = trace_record_next(records, bytes, &at));)
		if (trace_record_take(h, l->tagged, &r) && r.count <= SESSION_STACK)
			tell(l, &r);
}
