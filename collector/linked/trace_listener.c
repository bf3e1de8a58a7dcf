/* SPDX-License-Identifier: MIT */
#include "collector/linked/trace_listener.h"

#include <linux/perf_event.h>

#include "collector/shared/session.h"
#include "formats/perfdata_write.h"

/* The trace of a record of @l's kind; *stack is where its branches are. False: it is none. */
static bool read_record(const struct trace_listener *l, const struct perf_event_header *h,
			struct softlbr_collector_trace *t, const struct perf_branch_entry **stack)
{
	if (h->type != PERF_RECORD_SAMPLE)
		return false;
	if (l->tagged) {
		const struct perfdata_tagged_head *head = (const void *)h;

		if (h->size < sizeof(*head) || head->id != PERFDATA_OF_TRACES)
			return false;
		*stack = (const void *)(head + 1);
		*t = (struct softlbr_collector_trace){.count = head->branch_count,
						      .start = head->ip,
						      .tid = head->tid,
						      .time_ns = head->time};
	} else {
		const struct perfdata_sample_head *head = (const void *)h;

		if (h->size < sizeof(*head))
			return false;
		*stack = (const void *)(head + 1);
		*t = (struct softlbr_collector_trace){.count = head->branch_count,
						      .start = head->ip,
						      .tid = head->tid,
						      .time_ns = head->time};
	}
	return t->count <= SESSION_STACK && h->size == perfdata_trace_bytes(t->count, l->tagged);
}

static void tell(const struct trace_listener *l, const struct perf_event_header *h)
{
	struct softlbr_collector_branch branches[SESSION_STACK];
	const struct perf_branch_entry *stack;
	struct softlbr_collector_trace t;

	if (!read_record(l, h, &t, &stack))
		return;
	for (size_t i = 0; i < t.count; i++)
		branches[i] = (struct softlbr_collector_branch){stack[i].from, stack[i].to};
	t.size = sizeof(t);
	t.branches = branches;
	t.weight = *(const uint64_t *)(const void *)(stack + t.count);
	l->trace(l->context, &t);
}

void trace_listener_tell(const struct trace_listener *l, const void *records, size_t bytes)
{
	const char *p = records;

	for (size_t at = 0; bytes - at >= sizeof(struct perf_event_header);) {
		const struct perf_event_header *h = (const void *)(p + at);

		if (h->size < sizeof(*h) || h->size > bytes - at)
			return;
		tell(l, h);
		at += h->size;
	}
}
