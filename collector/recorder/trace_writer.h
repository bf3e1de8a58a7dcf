/* SPDX-License-Identifier: MIT */
/*
 * The trace writer: a session's directory and what becomes of its buffers, a perf.data. The
 * recorder keeps one for a command, the linked collector one for its own process.
 */
#pragma once

#include <linux/futex.h>

#include "base/vector.h"
#include "collector/recorder/process_buffer.h"
#include "collector/recorder/exclusion_list.h"
#include "collector/recorder/session_directory.h"
#include "collector/shared/session.h"
#include "formats/perfdata_write.h"
#include "softlbr/error.h"

/*
 * A word in shared memory that the kernel marks when the thread that holds it ends, however that
 * comes: a robust futex (set_robust_list(2)). The list that the kernel follows is in memory of ours
 * alone: libc's robust mutexes have theirs inside the mutex, where others could bend it. It stays
 * where it is as long as it is held.
 */
struct trace_writer_liveness {
	struct robust_list_head list;
	struct robust_list entry;
	struct robust_list_head *before; /* libc's */
	size_t before_bytes;
	uint32_t tid; /* that holds it; 0: none */
};

/* A trace writer stays where it is. */
struct trace_writer {
	struct session_directory directory;
	/* written, by trusted.h, and never read: who has joined can write there too */
	struct session_control *control;
	struct session_options options;
	enum session_state state;
	uint32_t changes; /* of it */
	bool converged;	  /* the recording has: samples are rarer */
	struct session_costs costs;
	unsigned firsts; /* processes whose first trace's cost is in it */
	struct trace_writer_liveness liveness;
	struct perfdata_writer writer;
	struct process_buffer_session common;
	VECTOR(struct process_buffer) processes; /* that may still write */
	unsigned process_count;			 /* so far */
	uint64_t counters[COUNTER_COUNT];	 /* of those that ended */
	int refused;				 /* the same */
	struct exclusion_list exclusions;	 /* the same */
	const struct exclusions *unjoined; /* of programs that have no file: SESSION_EXCLUDED */
};

/*
 * Make a session with @options in state @state, and the recording @output; an existing one is kept
 * as OUTPUT.old, from the first sample on. On failure nothing is left.
 */
int trace_writer_open(struct trace_writer *j, const struct session_options *options,
		      enum session_state state, const char *output, struct softlbr_error *e);
void trace_writer_set_state(struct trace_writer *j, enum session_state state);
/* Has the recording converged? Then samples are rarer. */
void trace_writer_set_converged(struct trace_writer *j, bool converged);
/* Meet new processes and append what all have published. */
int trace_writer_drain(struct trace_writer *j, struct softlbr_error *e);
/* End a round of appending: what is in the file is complete up to here. */
int trace_writer_sync(struct trace_writer *j, struct softlbr_error *e);
/* The sums over all processes, as far as 63 bits go; @refused: errno of an event that one could not
 * open, or 0. */
void trace_writer_count(const struct trace_writer *j, uint64_t counters[COUNTER_COUNT],
			int *refused);
/* The programs that were not entered, of all processes; @out is empty before. */
void trace_writer_exclusions(const struct trace_writer *j, struct exclusion_list *out);
/* What is mapped is told again, in a new file: each stands for itself. */
int trace_writer_tell_again(struct trace_writer *j, struct softlbr_error *e);
/* Write the recording's features and close it. @command is NULL-terminated. */
int trace_writer_finish(struct trace_writer *j, char *const *command, struct softlbr_error *e);
/* From now on the end of this thread, however it comes, ends the recording: processes see it. */
int trace_writer_hold(struct trace_writer *j, struct softlbr_error *e);
/* Free everything and remove the directory. Fine at any time. */
void trace_writer_close(struct trace_writer *j);
