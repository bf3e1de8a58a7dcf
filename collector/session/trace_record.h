/* SPDX-License-Identifier: MIT */
/* A session's perf.data: its event and header, and the traces as records. */
#ifndef COLLECTOR_SESSION_TRACE_RECORD_H
#define COLLECTOR_SESSION_TRACE_RECORD_H

#include "collector/session/session.h"
#include "collector/core/trace.h"
#include "formats/perfdata_write.h"
#include "softlbr/error.h"

/* Create @output for a session's samples; an existing one is kept as OUTPUT.old. */
int trace_record_open(struct perfdata_writer *w, const struct session_options *o,
		      const char *output, struct softlbr_error *e);
/* Of a recording that is nothing: remove it. */
void trace_record_remove(const char *output);
/* A command's standard output is standard error where its own is the recording. In the child. */
void trace_record_give_output(const char *output);
/* End a round of appending: what is in the file is complete up to here. */
int trace_record_sync(struct perfdata_writer *w, struct softlbr_error *e);
/* Write the features, among them what was counted, and close. @command is NULL-terminated. */
int trace_record_finish(struct perfdata_writer *w, const struct session_options *o,
			const uint64_t counters[COUNTER_COUNT], char *const *command,
			struct softlbr_error *e);

/* Finish the recording, keep it as @kept, and go on in a new one. */
int trace_record_rotate_to(struct perfdata_writer *w, const struct session_options *o,
			   const uint64_t counters[COUNTER_COUNT], char *const *command,
			   const char *output, const char *kept, struct softlbr_error *e);
/* The same, kept as OUTPUT.*number, the next after *number that is free. */
int trace_record_rotate(struct perfdata_writer *w, const struct session_options *o,
			const uint64_t counters[COUNTER_COUNT], char *const *command,
			const char *output, unsigned *number, struct softlbr_error *e);

/* Whose and when a trace is. */
struct trace_record_sample {
	uint32_t pid, tid;
	uint64_t time, period;
	uint64_t weight; /* branches that it stands for; 0 = not known */
};

/* The branches [begin,end) of @t, newest first, as a record of perfdata_sample_bytes(end - begin)
 * bytes at @room. */
static inline void trace_record_put(void *room, const struct trace_record_sample *s,
				    const struct trace *t, unsigned begin, unsigned end)
{
	struct perfdata_sample_head *head = room;
	struct perf_branch_entry *stack = (struct perf_branch_entry *)(head + 1);

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
	for (unsigned i = end; i-- > begin; stack++)
		*stack = (struct perf_branch_entry){.from = t->entries[i].from,
						    .to = t->entries[i].to};
	*(uint64_t *)stack = s->weight;
}

#endif
