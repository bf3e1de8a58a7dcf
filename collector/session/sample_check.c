/* SPDX-License-Identifier: MIT */
#include "collector/session/sample_check.h"

#include <stdbool.h>
#include <string.h>

#include "formats/perfdata_write.h"

/* Of a period and a weight: three days in nanoseconds. Sums of them stay in 64 bits. */
#define NUMBER_MOST (UINT64_C(1) << 48)

/* From and to are what the program runs; nothing else is known of a branch. */
static bool are_branches(const uint8_t *stack, uint64_t count)
{
	const size_t flags_at = 2 * sizeof(uint64_t);

	for (uint64_t i = 0; i < count; i++) {
		uint64_t flags;

		memcpy(&flags, stack + i * sizeof(struct perf_branch_entry) + flags_at,
		       sizeof(flags));
		if (flags)
			return false;
	}
	return true;
}

static bool is_sample(const uint8_t *record, size_t size, const struct sample_check_rule *rule)
{
	struct perfdata_sample_head head;
	uint64_t weight;

	if (size < perfdata_sample_bytes(0))
		return false;
	memcpy(&head, record, sizeof(head));
	memcpy(&weight, record + size - sizeof(weight), sizeof(weight));
	return head.header.type == PERF_RECORD_SAMPLE &&
	       head.header.misc == PERF_RECORD_MISC_USER && head.pid == rule->pid &&
	       head.branch_count <= rule->stack &&
	       size == perfdata_sample_bytes(head.branch_count) && head.time >= rule->since &&
	       head.time <= rule->until && head.period <= NUMBER_MOST && weight <= NUMBER_MOST &&
	       are_branches(record + sizeof(head), head.branch_count);
}

struct sample_check_result sample_check_keep(uint8_t *bytes, size_t size,
					     const struct sample_check_rule *rule)
{
	struct sample_check_result r = {0};

	while (size - r.looked_at >= sizeof(struct perf_event_header)) {
		const uint8_t *record = bytes + r.looked_at;
		struct perf_event_header h;

		memcpy(&h, record, sizeof(h));
		if (h.size < sizeof(h) || h.size > size - r.looked_at)
			break;
		if (is_sample(record, h.size, rule)) {
			memmove(bytes + r.kept, record, h.size);
			r.kept += h.size;
		} else {
			r.refused++;
		}
		r.looked_at += h.size;
	}
	return r;
}
