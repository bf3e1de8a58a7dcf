/* SPDX-License-Identifier: MIT */
/* A trace, and what is recorded with it, as records of perf.data. */
#pragma once

#include <string.h>

#include "collector/engine/stack_copy.h"
#include "collector/engine/cache_lines.h"
#include "collector/engine/site_values.h"
#include "collector/engine/trace.h"
#include "formats/perfdata_write.h"
#include "softlbr/error.h"

/* Whose and when a trace is. */
struct trace_record_sample {
	uint32_t pid, tid;
	uint64_t time, period;
	uint64_t weight; /* branches that it stands for; 0 = not known */
	bool tagged;	 /* more than traces is recorded */
	/* how long its path takes by the model, and by the program; 0 = not known */
	uint64_t model_ps, timed_ps;
};

/* The head of a sample of the session's events, of @bytes. */
static inline struct perfdata_tagged_head trace_record_head(const struct trace_record_sample *s,
							    enum perfdata_written_event event,
							    size_t bytes)
{
	return (struct perfdata_tagged_head){
		.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, (uint16_t)bytes},
		.id = event,
		.pid = s->pid,
		.tid = s->tid,
		.time = s->time,
		.period = s->period,
	};
}

/* The branches [begin,end) of @t, newest first, each as a struct perf_branch_entry. Returns what is
 * behind them. */
static inline uint64_t *trace_record_stack(void *room, const struct trace *t, unsigned begin,
					   unsigned end)
{
	static const uint64_t flags[ISA_UNKNOWN + 1] = {
		[ISA_JUMP] = PERF_BR_UNCOND << PERFDATA_BRANCH_TYPE_SHIFT,
		[ISA_JUMP_CONDITIONAL] = PERF_BR_COND << PERFDATA_BRANCH_TYPE_SHIFT,
		[ISA_JUMP_INDIRECT] = PERF_BR_IND << PERFDATA_BRANCH_TYPE_SHIFT,
		[ISA_CALL] = PERF_BR_CALL << PERFDATA_BRANCH_TYPE_SHIFT,
		[ISA_CALL_INDIRECT] = PERF_BR_IND_CALL << PERFDATA_BRANCH_TYPE_SHIFT,
		[ISA_RETURN] = PERF_BR_RET << PERFDATA_BRANCH_TYPE_SHIFT,
	};
	uint64_t *stack = room;

	for (unsigned i = end; i-- > begin; stack += 3) {
		stack[0] = t->entries[i].from;
		stack[1] = t->entries[i].to;
		stack[2] = flags[t->kinds[i]];
	}
	return stack;
}

/* The branches [begin,end) of @t as a record of perfdata_tagged_bytes(end - begin) bytes. */
static inline void trace_record_put_tagged(void *room, const struct trace_record_sample *s,
					   const struct trace *t, unsigned begin, unsigned end)
{
	struct perfdata_tagged_head *head = room;
	uint64_t *behind;

	*head = trace_record_head(s, PERFDATA_OF_TRACES, perfdata_tagged_bytes(end - begin));
	head->ip = t->start;
	head->branch_count = end - begin;
	behind = trace_record_stack(head + 1, t, begin, end);
	behind[0] = s->weight;
	behind[1] = PERF_SAMPLE_REGS_ABI_NONE;
}

/* One value as a record at @room, of at most sizeof(struct perfdata_value) bytes: how many. @runs:
 * of the site, that it stands for. */
static inline size_t trace_record_put_value(void *room, const struct trace_record_sample *s,
					    const struct site_value *v, uint64_t runs)
{
	struct perfdata_value *record = room;
	size_t bytes = v->has_arguments ? sizeof(*record)
					: offsetof(struct perfdata_value, registers);

	record->head = trace_record_head(s, PERFDATA_OF_VALUES, bytes);
	record->head.ip = v->site;
	record->head.address = v->value;
	record->head.period = runs;
	record->weight = s->weight;
	record->abi = PERF_SAMPLE_REGS_ABI_NONE;
	if (!v->has_arguments)
		return bytes;
	record->abi = PERF_SAMPLE_REGS_ABI_64;
	/* in the order of PERFDATA_VALUE_MASK: cx, dx, si, di, r8, r9 */
	record->registers[0] = v->arguments[3];
	record->registers[1] = v->arguments[2];
	record->registers[2] = v->arguments[1];
	record->registers[3] = v->arguments[0];
	record->registers[4] = v->arguments[4];
	record->registers[5] = v->arguments[5];
	return bytes;
}

/* A load, or the path of @t, as a record of perfdata_tagged_bytes(0) bytes. */
static inline void trace_record_put_load(void *room, const struct trace_record_sample *s,
					 const struct load_time *l, uint64_t loads)
{
	struct perfdata_value *record = room;

	record->head = trace_record_head(s, PERFDATA_OF_LOADS, perfdata_tagged_bytes(0));
	record->head.ip = l->site;
	record->head.address = l->line;
	record->head.period = loads;
	record->weight = l->ticks;
	record->abi = PERF_SAMPLE_REGS_ABI_NONE;
}

static inline void trace_record_put_path(void *room, const struct trace_record_sample *s,
					 const struct trace *t)
{
	struct perfdata_value *record = room;

	record->head = trace_record_head(s, PERFDATA_OF_PATHS, perfdata_tagged_bytes(0));
	record->head.ip = t->start;
	record->head.address = t->entries[t->count - 1].to;
	record->head.period = s->model_ps;
	record->weight = s->timed_ps;
	record->abi = PERF_SAMPLE_REGS_ABI_NONE;
}

/* The copied stack as a record of perfdata_stack_record_bytes(ISA_HOST_UNWIND_REGISTERS, c->bytes).
 */
static inline void trace_record_put_stack(void *room, const struct trace_record_sample *s,
					  uint64_t ip, uint64_t left, const struct stack_copy *c)
{
	struct perfdata_stack_head *head = room;
	uint64_t *behind = (uint64_t *)(head + 1);

	*head = (struct perfdata_stack_head){
		.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
			   (uint16_t)perfdata_stack_record_bytes(ISA_HOST_UNWIND_REGISTERS,
								 c->bytes)},
		.id = PERFDATA_OF_STACKS,
		.ip = ip,
		.pid = s->pid,
		.tid = s->tid,
		.time = s->time,
		.address = left,
		.period = s->period,
		.abi = PERF_SAMPLE_REGS_ABI_64,
	};
	memcpy(behind, c->registers, sizeof(c->registers));
	behind += ISA_HOST_UNWIND_REGISTERS;
	*behind++ = c->bytes;
	if (!c->bytes)
		return;
	memcpy(behind, c->stack, c->bytes);
	behind[c->bytes / sizeof(*behind)] = c->bytes;
}

/* The branches [begin,end) of @t, newest first, as a record of perfdata_trace_bytes(end - begin)
 * bytes at @room. */
static inline void trace_record_put(void *room, const struct trace_record_sample *s,
				    const struct trace *t, unsigned begin, unsigned end)
{
	struct perfdata_sample_head *head = room;

	if (s->tagged) {
		trace_record_put_tagged(room, s, t, begin, end);
		return;
	}
	*head = (struct perfdata_sample_head){
		.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
			   (uint16_t)perfdata_sample_bytes(end - begin)},
		.ip = t->start,
		.pid = s->pid,
		.tid = s->tid,
		.time = s->time,
		.period = s->period,
		.branch_count = end - begin,
	};
	*trace_record_stack(head + 1, t, begin, end) = s->weight;
}

/* ---- the other way round -------------------------------------------------------------------- */

/* A trace, or a part of one, of a record. */
struct trace_record_read {
	const struct perf_branch_entry *stack; /* in the record, newest first */
	uint64_t count;
	uint64_t start, time, weight; /* as of struct trace_record_sample */
	uint32_t tid;
};

/* What trace_record_put has put down, @tagged or not. False: it is another record. */
static inline bool trace_record_take(const struct perf_event_header *h, bool tagged,
				     struct trace_record_read *out)
{
	const struct perfdata_tagged_head *with = (const void *)h;
	const struct perfdata_sample_head *without = (const void *)h;

	if (h->type != PERF_RECORD_SAMPLE || h->size < (tagged ? sizeof(*with) : sizeof(*without)))
		return false;
	if (tagged && with->id != PERFDATA_OF_TRACES)
		return false;
	*out = tagged ? (struct trace_record_read){.stack = (const void *)(with + 1),
						   .count = with->branch_count,
						   .start = with->ip,
						   .time = with->time,
						   .tid = with->tid}
		      : (struct trace_record_read){.stack = (const void *)(without + 1),
						   .count = without->branch_count,
						   .start = without->ip,
						   .time = without->time,
						   .tid = without->tid};
	if (out->count > PERFDATA_SAMPLE_BRANCHES_MAX ||
	    h->size != perfdata_trace_bytes(out->count, tagged))
		return false;
	memcpy(&out->weight, out->stack + out->count, sizeof(out->weight));
	return true;
}

/* The record at *at of @bytes of them, and *at is behind it; NULL: there is no whole one. */
static inline const struct perf_event_header *trace_record_next(const void *records, size_t bytes,
								size_t *at)
{
	const struct perf_event_header *h = (const void *)((const char *)records + *at);

	if (bytes - *at < sizeof(*h) || h->size < sizeof(*h) || h->size > bytes - *at)
		return NULL;
	*at += h->size;
	return h;
}
