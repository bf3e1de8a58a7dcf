/* SPDX-License-Identifier: MIT */
/*
 * What a process published is passed on only if it is what the collector writes (trace_record_put,
 * trace_record_put_value, trace_record_put_stack): samples, of exactly that layout, of that
 * process, of the time of this recording. So a program that writes into its buffers can spoil its
 * own samples, but makes no mappings, build-ids or other processes' samples in a perf.data, and no
 * record that a reader stumbles over.
 */
#include "collector/shared/trusted.h"

#include <string.h>

#include "formats/perfdata_write.h"
#include "isa/host.h"

/* The most of a period and of a weight: three days in nanoseconds. Sums of them stay in 64 bits. */
#define NUMBER_MOST (UINT64_C(1) << 48)

/* Are these branches as the collector writes them? Of flags it sets the type alone. */
static bool are_branches(const uint8_t *stack, uint64_t count)
{
	const size_t flags_at = 2 * sizeof(uint64_t);

	for (uint64_t i = 0; i < count; i++) {
		uint64_t flags;

		memcpy(&flags, stack + i * sizeof(struct perf_branch_entry) + flags_at,
		       sizeof(flags));
		if (flags & ((UINT64_C(1) << PERFDATA_BRANCH_TYPE_SHIFT) - 1) ||
		    flags >> PERFDATA_BRANCH_TYPE_SHIFT > PERF_BR_RET)
			return false;
	}
	return true;
}

/* Is a sample of this process, of this time, and in numbers that can be? */
static bool is_possible(uint32_t pid, uint64_t time, uint64_t period, uint64_t weight,
			const struct sample_check_rule *rule)
{
	return pid == rule->pid && time >= rule->since && time <= rule->until &&
	       period <= NUMBER_MOST && weight <= NUMBER_MOST;
}

static bool is_trace(const uint8_t *record, size_t size, const struct sample_check_rule *rule)
{
	struct perfdata_sample_head head;
	uint64_t weight;

	if (size < perfdata_sample_bytes(0))
		return false;
	memcpy(&head, record, sizeof(head));
	memcpy(&weight, record + size - sizeof(weight), sizeof(weight));
	return head.branch_count <= rule->stack &&
	       size == perfdata_sample_bytes(head.branch_count) &&
	       is_possible(head.pid, head.time, head.period, weight, rule) &&
	       are_branches(record + sizeof(head), head.branch_count);
}

/* A trace, a value, a load or a path: behind the branches stand the weight, the ABI, and registers
 * if it has any.
 */
static bool is_tagged(const uint8_t *record, size_t size, const struct sample_check_rule *rule)
{
	struct perfdata_tagged_head head;
	uint64_t behind[2];
	size_t to_registers;

	if (size < perfdata_tagged_bytes(0))
		return false;
	memcpy(&head, record, sizeof(head));
	to_registers = perfdata_tagged_bytes(head.branch_count);
	if (head.branch_count > rule->stack || size < to_registers)
		return false;
	memcpy(behind, record + to_registers - sizeof(behind), sizeof(behind));
	if (!is_possible(head.pid, head.time, head.period, behind[0], rule))
		return false;
	if (head.id == PERFDATA_OF_VALUES)
		return !head.branch_count &&
		       ((behind[1] == PERF_SAMPLE_REGS_ABI_NONE && size == to_registers) ||
			(behind[1] == PERF_SAMPLE_REGS_ABI_64 &&
			 size == sizeof(struct perfdata_value)));
	if (head.id == PERFDATA_OF_LOADS || head.id == PERFDATA_OF_PATHS)
		return !head.branch_count && behind[1] == PERF_SAMPLE_REGS_ABI_NONE &&
		       size == to_registers;
	return head.id == PERFDATA_OF_TRACES && size == to_registers &&
	       behind[1] == PERF_SAMPLE_REGS_ABI_NONE &&
	       are_branches(record + sizeof(head), head.branch_count);
}

/* A copied stack: what is in it may be anything. */
static bool is_stack(const uint8_t *record, size_t size, const struct sample_check_rule *rule)
{
	const size_t size_at = sizeof(struct perfdata_stack_head) +
			       ISA_HOST_UNWIND_REGISTERS * sizeof(uint64_t);
	struct perfdata_stack_head head;
	uint64_t bytes, filled;

	if (size < perfdata_stack_record_bytes(ISA_HOST_UNWIND_REGISTERS, 0))
		return false;
	memcpy(&head, record, sizeof(head));
	memcpy(&bytes, record + size_at, sizeof(bytes));
	memcpy(&filled, record + size - sizeof(filled), sizeof(filled));
	return bytes <= rule->stack_copy && !(bytes % 8) && filled == bytes &&
	       size == perfdata_stack_record_bytes(ISA_HOST_UNWIND_REGISTERS, bytes) &&
	       !head.chain_count && head.abi == PERF_SAMPLE_REGS_ABI_64 &&
	       is_possible(head.pid, head.time, head.period, 0, rule);
}

/* The id stands at the same place in all of them. */
static bool is_one_of_many(const uint8_t *record, size_t size, const struct sample_check_rule *rule)
{
	struct perfdata_stack_head head;

	if (size < sizeof(head))
		return false;
	memcpy(&head, record, sizeof(head));
	return head.id == PERFDATA_OF_STACKS ? is_stack(record, size, rule)
					     : is_tagged(record, size, rule);
}

static bool is_sample(const uint8_t *record, const struct perf_event_header *h,
		      const struct sample_check_rule *rule)
{
	if (h->type != PERF_RECORD_SAMPLE || h->misc != PERF_RECORD_MISC_USER)
		return false;
	return rule->tagged ? is_one_of_many(record, h->size, rule)
			    : is_trace(record, h->size, rule);
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
		if (is_sample(record, &h, rule)) {
			memmove(bytes + r.kept, record, h.size);
			r.kept += h.size;
		} else {
			r.refused++;
		}
		r.looked_at += h.size;
	}
	return r;
}
