/* SPDX-License-Identifier: MIT */
/*
 * Samples of a perf.data: the fields of PERF_RECORD_SAMPLE in the order that linux/perf_event.h
 * gives, and the sample-id trailer that the other records carry. Fields behind the last one that
 * is of use (the registers) are not looked at.
 */
#include <string.h>

#include "formats/perfdata_reader.h"

#ifndef PERF_SAMPLE_WEIGHT_STRUCT
#define PERF_SAMPLE_WEIGHT_STRUCT (1u << 24)
#endif
#define FORMAT_LOST	(1u << 4)  /* PERF_FORMAT_LOST, Linux 6.0 */
#define BRANCH_COUNTERS (1u << 19) /* PERF_SAMPLE_BRANCH_COUNTERS, Linux 6.8 */

/* Of few: shorter than the function that the compiler calls for a processor of any age. */
static unsigned bits_set(uint64_t mask)
{
	unsigned n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

/* The event that a record belongs to. All events have a sample's id at the same place. */
static unsigned event_of(const struct perfdata_reader *r, uint64_t id)
{
	const struct map_entry *found;

	if (r->events.count < 2)
		return 0;
	found = map_find(&r->event_of_id, id, 0);
	return found ? (unsigned)found->n : 0;
}

/* The id of a sample, without decoding the rest. */
static uint64_t sample_id(const struct perfdata_reader *r, const struct cursor *body)
{
	uint64_t type = r->events.items[0].attr.sample_type;
	struct cursor c = *body;

	if (type & PERF_SAMPLE_IDENTIFIER)
		return cursor_u64(&c);
	if (!(type & PERF_SAMPLE_ID))
		return 0;
	cursor_skip(&c, 8 * bits_set(type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					     PERF_SAMPLE_ADDR)));
	return cursor_u64(&c);
}

/* Values with their ids: of a group behind the times, else the first one before them. */
static void take_read(struct cursor *c, uint64_t format, struct perfdata_sample *s)
{
	uint64_t values = 1;
	unsigned each = 1 + bits_set(format & (PERF_FORMAT_ID | FORMAT_LOST));
	size_t before = format & PERF_FORMAT_GROUP ? 0 : 1;

	if (format & PERF_FORMAT_GROUP)
		values = cursor_u64(c);
	cursor_skip(c, 8 * before);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		s->time_enabled = cursor_u64(c);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		s->time_running = cursor_u64(c);
	if (values > cursor_left(c) / 8 + 1)
		c->failed = true;
	else
		cursor_skip(c, 8 * ((size_t)values * each - before));
}

static void skip_counted(struct cursor *c, size_t item_bytes)
{
	uint64_t n = cursor_u64(c);

	if (n > cursor_left(c) / item_bytes)
		c->failed = true;
	else
		cursor_skip(c, (size_t)n * item_bytes);
}

static void take_registers(struct perfdata_reader *r, struct cursor *c, uint64_t mask,
			   struct perfdata_sample *s)
{
	if (!cursor_u64(c)) /* the ABI; 0 = no registers follow */
		return;
	for (unsigned i = 0; i < bits_set(mask); i++)
		r->registers[i] = cursor_u64(c);
	s->registers = r->registers;
	s->register_mask = mask;
}

/* Behind the room for the copy stands how much of it was filled. */
static void take_user_stack(struct cursor *c, struct perfdata_sample *s)
{
	uint64_t size = cursor_u64(c), filled;

	if (size > cursor_left(c))
		c->failed = true;
	if (c->failed || !size)
		return;
	s->stack = cursor_bytes(c, (size_t)size);
	filled = cursor_u64(c);
	s->stack_bytes = (size_t)(filled < size ? filled : size);
}

/* C bit fields start at the other end on a big-endian machine. */
static uint64_t branch_flags_of_big_endian(uint64_t f)
{
	return (f >> 63 & 1) | (f >> 62 & 1) << 1 | (f >> 61 & 1) << 2 | (f >> 60 & 1) << 3 |
	       (f >> 44 & 0xffff) << 4 | (f >> 40 & 0xf) << 20 | (f >> 38 & 3) << 24 |
	       (f >> 34 & 0xf) << 26 | (f >> 31 & 7) << 30;
}

static void take_branches(struct perfdata_reader *r, struct cursor *c, uint64_t branch_type,
			  struct perfdata_sample *s)
{
	uint64_t n = cursor_u64(c);
	size_t bytes;
	const void *raw;

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		cursor_skip(c, 8);
	if (n > cursor_left(c) / sizeof(struct perfdata_branch)) {
		c->failed = true;
		return;
	}
	bytes = (size_t)n * sizeof(struct perfdata_branch);
	raw = cursor_bytes(c, bytes);
	if (c->failed)
		return;
	s->has_branches = true;
	s->branch_count = (size_t)n;
	s->branches = raw;
	if (r->big_endian) {
		struct cursor b = perfdata_cursor(r, raw, bytes);

		for (size_t i = 0; i < n; i++) {
			r->stack[i].from = cursor_u64(&b);
			r->stack[i].to = cursor_u64(&b);
			r->stack[i].flags = branch_flags_of_big_endian(cursor_u64(&b));
		}
		s->branches = r->stack;
	} else if ((uintptr_t)raw % _Alignof(struct perfdata_branch)) {
		memcpy(r->stack, raw, bytes);
		s->branches = r->stack;
	}
	if (branch_type & BRANCH_COUNTERS)
		cursor_skip(c, (size_t)n * 8);
}

/* From the callchain to the registers. */
static void take_variable_part(struct perfdata_reader *r, struct cursor *c,
			       const struct perf_event_attr *attr, struct perfdata_sample *s)
{
	uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_READ)
		take_read(c, attr->read_format, s);
	if (type & PERF_SAMPLE_CALLCHAIN)
		skip_counted(c, 8);
	if (type & PERF_SAMPLE_RAW)
		cursor_skip(c, cursor_u32(c));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		take_branches(r, c, attr->branch_sample_type, s);
	if (type & PERF_SAMPLE_REGS_USER)
		take_registers(r, c, attr->sample_regs_user, s);
	if (type & PERF_SAMPLE_STACK_USER)
		take_user_stack(c, s);
	if (type & PERF_SAMPLE_WEIGHT)
		s->weight = cursor_u64(c);
	else if (type & PERF_SAMPLE_WEIGHT_STRUCT)
		s->weight = cursor_u64(c) & UINT32_MAX; /* var1_dw, in either byte order */
	cursor_skip(c, 8 * bits_set(type & (PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION)));
	if (type & PERF_SAMPLE_REGS_INTR)
		take_registers(r, c, attr->sample_regs_intr, s);
}

bool perfdata_parse_sample(struct perfdata_reader *r, struct cursor *c,
			   struct perfdata_record *record)
{
	struct perfdata_sample *s = &record->sample;
	const struct perf_event_attr *attr;
	uint64_t type;

	*s = (struct perfdata_sample){.period = 1};
	s->id = sample_id(r, c);
	s->event = event_of(r, s->id);
	attr = &r->events.items[s->event].attr;
	type = attr->sample_type;
	if (type & PERF_SAMPLE_IDENTIFIER)
		cursor_skip(c, 8);
	if (type & PERF_SAMPLE_IP)
		s->ip = cursor_u64(c);
	if (type & PERF_SAMPLE_TID) {
		s->pid = cursor_u32(c);
		s->tid = cursor_u32(c);
	}
	if (type & PERF_SAMPLE_TIME)
		record->time = cursor_u64(c);
	if (type & PERF_SAMPLE_ADDR)
		s->address = cursor_u64(c);
	cursor_skip(
		c, 8 * bits_set(type & (PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)));
	if (type & PERF_SAMPLE_PERIOD)
		s->period = cursor_u64(c);
	take_variable_part(r, c, attr, s);
	return !c->failed;
}

/*
 * The event whose fields a trailer has. They may differ between events that have
 * PERF_SAMPLE_IDENTIFIER: the id is the last field then. Events without it have the same ones.
 */
static const struct perf_event_attr *trailer_attr(const struct perfdata_reader *r,
						  const struct cursor *body)
{
	const struct perf_event_attr *first = &r->events.items[0].attr;
	struct cursor c = *body;

	if (!first->sample_id_all || !(first->sample_type & PERF_SAMPLE_IDENTIFIER) ||
	    cursor_left(&c) < 8)
		return first;
	cursor_skip(&c, cursor_left(&c) - 8);
	return &r->events.items[event_of(r, cursor_u64(&c))].attr;
}

uint64_t perfdata_trailer_time(const struct perfdata_reader *r, const struct cursor *body,
			       size_t *size)
{
	const struct perf_event_attr *attr = trailer_attr(r, body);
	uint64_t type = attr->sample_type;
	struct cursor c = *body;

	*size = 0;
	if (!attr->sample_id_all)
		return 0;
	*size = 8 *
		bits_set(type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));
	if (*size > cursor_left(&c)) {
		*size = 0;
		return 0;
	}
	if (!(type & PERF_SAMPLE_TIME))
		return 0;
	cursor_skip(&c, cursor_left(&c) - *size + (type & PERF_SAMPLE_TID ? 8 : 0));
	return cursor_u64(&c);
}
