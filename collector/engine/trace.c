/* SPDX-License-Identifier: MIT */
#include "collector/engine/trace.h"

#include <linux/perf_event.h>

#include "isa/isa.h"

static const struct {
	const char *name;
	uint64_t sample_type;
	unsigned kinds; /* 1 << enum isa_kind */
} filters[TRACE_FILTERS] = {
	[TRACE_ALL] = {"any", PERF_SAMPLE_BRANCH_ANY, ~0u},
	[TRACE_CALLS] = {"call", PERF_SAMPLE_BRANCH_ANY_CALL,
			 1u << ISA_CALL | 1u << ISA_CALL_INDIRECT},
	[TRACE_RETURNS] = {"return", PERF_SAMPLE_BRANCH_ANY_RETURN, 1u << ISA_RETURN},
	[TRACE_CONDITIONAL] = {"cond", PERF_SAMPLE_BRANCH_COND, 1u << ISA_JUMP_CONDITIONAL},
	[TRACE_INDIRECT] = {"indirect", PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_IND_JUMP,
			    1u << ISA_CALL_INDIRECT | 1u << ISA_JUMP_INDIRECT},
	[TRACE_CALL_STACK] = {"stack", PERF_SAMPLE_BRANCH_CALL_STACK,
			      1u << ISA_CALL | 1u << ISA_CALL_INDIRECT},
};

const char *trace_filter_text(enum trace_filter filter)
{
	return filter < TRACE_FILTERS ? filters[filter].name : NULL;
}

uint64_t trace_filter_sample_type(enum trace_filter filter)
{
	return filters[filter].sample_type;
}

void trace_filter_apply(struct trace *t, enum trace_filter filter)
{
	unsigned kept = 0;

	if (filter == TRACE_ALL)
		return;
	if (filter == TRACE_CALL_STACK && t->count)
		t->start = t->entries[t->count - 1].to;
	for (unsigned i = 0; i < t->count; i++) {
		if (filters[filter].kinds >> t->kinds[i] & 1)
			t->entries[kept++] = t->entries[i];
		else if (filter == TRACE_CALL_STACK && t->kinds[i] == ISA_RETURN && kept)
			kept--;
	}
	t->count = kept;
}
