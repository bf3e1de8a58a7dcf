/* SPDX-License-Identifier: MIT */
#include "collector/engine/counters.h"
#include "collector/engine/drive.h"

#include "isa/host.h"

static bool set_breakpoint(struct drive *d, const struct core_action *action)
{
	struct core_action first = {.verdict = CORE_BREAK, .address = action->stepping};

	d->behind = *action;
	if (!action->stepping)
		first = *action;
	if (!d->backend->set_breakpoint(d, &first))
		return false;
	drive_count(d, COUNTER_BREAKPOINTS, 1);
	d->breakpoint = first.address;
	d->state = drive_awaits(d);
	d->skip = ISA_HOST_PASSES_BREAKPOINT ? first.skip : 0;
	return true;
}

/* Do what the core says. */
static int act(struct drive *d, struct core_action action)
{
	if (action.verdict == CORE_BREAK) {
		if (set_breakpoint(d, &action))
			return 0;
	} else if (action.verdict != CORE_COMPLETE) {
		drive_count(d, COUNTER_EARLY + action.reason, 1);
	} else if (d->backend->defer_finish && d->backend->defer_finish(d)) {
		d->state = TRACE_TIMING;
		return 0;
	}
	return d->backend->finish(d, action.verdict != CORE_DROP);
}

/* The timer came in the kernel, where interrupts waited until the thread went on. */
static bool was_in_kernel(const struct drive *d, const struct isa_memory *m)
{
	return d->by_time && isa_state_is_behind_system_call(core_state(d->core), m);
}

int drive_begin(struct drive *d, const struct isa_memory *m)
{
	d->state = TRACE_FOLLOWING;
	if (was_in_kernel(d, m)) {
		drive_count(d, COUNTER_KERNEL, 1);
		d->core->trace.count = 0;
		return d->backend->finish(d, false);
	}
	return act(d, core_begin(d->core, m));
}

enum drive_hit drive_hit(struct drive *d, bool late)
{
	if (late || isa_state_pc(core_state(d->core)) != d->breakpoint) {
		drive_count(d, COUNTER_SPURIOUS, 1);
		return DRIVE_SPURIOUS;
	}
	if (d->behind.stepping)
		return DRIVE_STEPPING;
	if (!d->skip)
		return DRIVE_AWAITED;
	drive_count(d, COUNTER_SKIPPED, 1);
	d->skip--;
	return DRIVE_SKIPPED;
}

int drive_resume(struct drive *d, const struct isa_memory *m)
{
	d->state = d->state == TRACE_AUDITING ? TRACE_AUDITED : TRACE_FOLLOWING;
	return act(d, core_resume(d->core, m));
}

int drive_step(struct drive *d)
{
	struct core_action action = d->behind;

	action.stepping = 0;
	return act(d, action);
}

/* The branches [begin,end) as a record. */
static int record_part(struct drive *d, const struct trace_record_sample *sample, unsigned begin,
		       unsigned end)
{
	size_t bytes = perfdata_trace_bytes(end - begin, sample->tagged);
	void *room = d->backend->reserve(d, bytes);

	if (!room)
		return -SOFTLBR_E_SYSTEM;
	trace_record_put(room, sample, &d->core->trace, begin, end);
	return d->backend->publish(d, room, bytes);
}

/* The values that were kept of the trace; without a buffer the rest of them is lost. */
static int record_values(struct drive *d, const struct trace_record_sample *sample)
{
	const struct site_values *values = d->core->values;
	unsigned written = 0;
	int rc = 0;

	while (!rc && written < values->kept.count) {
		void *room = d->backend->reserve(d, sizeof(struct perfdata_value));
		uint64_t runs = reservoir_share(&values->kept, written);
		size_t bytes;

		if (!room)
			break;
		bytes = trace_record_put_value(room, sample, &values->items[written], runs);
		rc = d->backend->publish(d, room, bytes);
		written += !rc;
	}
	drive_count(d, COUNTER_VALUES, written);
	drive_count(d, COUNTER_VALUES_MET, values->kept.met);
	drive_count(d, COUNTER_VALUES_DROPPED, values->kept.count - written);
	return rc;
}

static int record_load(struct drive *d, const struct trace_record_sample *sample, uint32_t i)
{
	void *room = d->backend->reserve(d, perfdata_tagged_bytes(0));

	if (!room)
		return -SOFTLBR_E_SYSTEM;
	trace_record_put_load(room, sample, &d->times->items[i],
			      reservoir_share(&d->times->kept, i));
	return d->backend->publish(d, room, perfdata_tagged_bytes(0));
}

/* The path's time and those of its loads, as far as there are buffers. */
static void record_times(struct drive *d, const struct trace_record_sample *sample)
{
	void *room = d->backend->reserve(d, perfdata_tagged_bytes(0));
	uint32_t written = 0;

	if (room && sample->model_ps) {
		trace_record_put_path(room, sample, &d->core->trace);
		d->backend->publish(d, room, perfdata_tagged_bytes(0));
	}
	while (written < d->times->kept.count && !record_load(d, sample, written))
		written++;
	drive_count(d, COUNTER_LOADS, written);
	drive_count(d, COUNTER_LOADS_MET, d->times->kept.met);
	drive_count(d, COUNTER_LOADS_DROPPED, d->times->kept.count - written);
}

/* The stack as it was where the trace begins, at @start; a call stack went back to @left callers of
 * it. Without a buffer the trace goes without. */
static int record_stack(struct drive *d, const struct trace_record_sample *sample, uint64_t start,
			unsigned left)
{
	size_t bytes = perfdata_stack_record_bytes(ISA_HOST_UNWIND_REGISTERS, d->copy->bytes);
	void *room = d->backend->reserve(d, bytes);

	drive_count(d, room ? COUNTER_STACKS : COUNTER_STACKS_DROPPED, 1);
	if (!room)
		return 0;
	trace_record_put_stack(room, sample, start, left, d->copy);
	return d->backend->publish(d, room, bytes);
}

/* A trace longer than a record's stack is cut; the parts share the time and repeat one entry, so
 * that the range between them is kept (docs/design.md). */
int drive_record(struct drive *d)
{
	struct trace_record_sample sample = {0};
	const unsigned whole = d->core->trace.count;
	unsigned count, written = 0, left;
	uint64_t start;
	bool any = false;
	int rc;

	if (!whole)
		return 0;
	d->backend->fill_sample(d, &sample);
	sample.tagged = d->core->values || d->copy || d->times;
	start = d->core->trace.start;
	if (d->recorded && whole > d->recorded)
		d->core->trace.count = d->recorded;
	left = trace_filter_apply(&d->core->trace, d->filter);
	if (d->copy && record_stack(d, &sample, start, left))
		return -SOFTLBR_E_SYSTEM;
	count = d->core->trace.count; /* 0 of a sample that nothing is left of */
	do {
		unsigned begin = written ? written - 1 : 0;
		unsigned end = count - begin > d->stack ? begin + d->stack : count;

		rc = record_part(d, &sample, begin, end);
		if (rc)
			break;
		written = end;
		any = true;
	} while (written < count);
	if (!d->filter)
		d->core->trace.count = whole; /* whose path is timed */
	drive_count(d, COUNTER_TRACES, any);
	drive_count(d, COUNTER_BRANCHES, written);
	drive_count(d, COUNTER_PERIODS, any ? sample.period : 0);
	if (any && count && d->times)
		record_times(d, &sample);
	return rc || !d->core->values ? rc : record_values(d, &sample);
}
