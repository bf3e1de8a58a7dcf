/* SPDX-License-Identifier: MIT */
#include "converter/samples/value_samples.h"

#include <string.h>

void value_samples_deinit(struct value_samples *v)
{
	vector_deinit(&v->items);
	vector_deinit(&v->registers);
	map_deinit(&v->traces);
}

/* A trace, or another part of it: they have one time, and each but the first repeats a branch. */
static int take_trace(struct value_samples *v, const struct perfdata_record *record)
{
	struct map_entry *e = map_at(&v->traces, record->sample.tid, 0);

	if (!e)
		return -1;
	if (e->n && e->m == record->time)
		e->n += record->sample.branch_count - 1;
	else
		e->n = record->sample.branch_count;
	e->m = record->time;
	return 0;
}

/* A trace of so many branches stands for as many as its weight says, and each value of it too. */
static uint64_t runs_of(const struct value_samples *v, const struct perfdata_record *record)
{
	const struct perfdata_sample *s = &record->sample;
	const struct map_entry *e = map_find(&v->traces, s->tid, 0);
	unsigned __int128 runs = s->period;

	if (!s->weight || !e || !e->n || e->m != record->time)
		return s->period;
	runs = (runs * s->weight + e->n / 2) / e->n;
	return runs > UINT64_MAX ? UINT64_MAX : runs ? (uint64_t)runs : 1;
}

static int keep_registers(struct value_samples *v, const struct perfdata_sample *s)
{
	unsigned count = (unsigned)__builtin_popcountll(s->register_mask);

	if (!count)
		return 0;
	if (vector_reserve(&v->registers, count))
		return -1;
	memcpy(v->registers.items + v->registers.count, s->registers,
	       count * sizeof(*s->registers));
	v->registers.count += count;
	return 0;
}

int value_samples_add(struct value_samples *v, const struct address_space *space,
		      const struct perfdata_info *info, const struct perfdata_record *record)
{
	const struct perfdata_sample *s = &record->sample;
	enum perfdata_samples kind = info->events[s->event].samples;
	bool evaluated = kind == PERFDATA_VALUES;
	bool user = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;

	if (!evaluated && kind != PERFDATA_MOMENTS)
		return 0;
	if (!evaluated && s->branch_count && !s->register_mask)
		return take_trace(v, record);
	if (!evaluated && (!s->register_mask || !user))
		return 0;
	if (vector_add(&v->items, (struct value_sample){.space = space,
							.ip = s->ip,
							.address = s->address,
							.runs = evaluated ? runs_of(v, record)
									  : 1 + s->repeats,
							.register_mask = s->register_mask,
							.registers = v->registers.count,
							.evaluated = evaluated}))
		return -1;
	return keep_registers(v, s);
}
