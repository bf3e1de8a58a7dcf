/* SPDX-License-Identifier: MIT */
/*
 * The journal: a session's directory and what becomes of its buffers, a perf.data. The recorder
 * keeps one for a command, the linked collector one for its own process.
 */
#ifndef COLLECTOR_RECORDER_JOURNAL_H
#define COLLECTOR_RECORDER_JOURNAL_H

#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "collector/recorder/process_buffer.h"
#include "collector/recorder/refusal_list.h"
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
struct journal_liveness {
	struct robust_list_head list;
	struct robust_list entry;
	struct robust_list_head *before; /* libc's */
	size_t before_bytes;
	uint32_t tid; /* that holds it; 0: none */
};

/* It stays where it is. */
struct journal {
	struct session_directory directory;
	/* written, by shared_bytes.h, and never read: who has joined can write there too */
	struct session_control *control;
	struct session_options options;
	enum session_state state;
	uint32_t changes; /* of it */
	bool converged;	  /* the recording has: samples are rarer */
	struct session_costs costs;
	unsigned firsts; /* processes whose first trace's cost is in it */
	struct journal_liveness liveness;
	struct perfdata_writer writer;
	struct process_buffer_session common;
	VECTOR(struct process_buffer) processes; /* that may still write */
	unsigned process_count;			 /* so far */
	uint64_t counters[COUNTER_COUNT];	 /* of those that ended */
	int refused;				 /* the same */
	struct refusal_list refusals;		 /* the same */
	const struct refusals *unjoined; /* of programs that have no file: SESSION_REFUSED */
};

/*
 * Make a session with @options in state @state, and the recording @output; an existing one is kept
 * as OUTPUT.old. On failure nothing is left.
 */
int journal_open(struct journal *j, const struct session_options *options, enum session_state state,
		 const char *output, struct softlbr_error *e);
void journal_set_state(struct journal *j, enum session_state state);
/* Has the recording converged? Then samples are rarer. */
void journal_set_converged(struct journal *j, bool converged);
/* Meet new processes and append what all have published. */
int journal_drain(struct journal *j, struct softlbr_error *e);
/* End a round of appending: what is in the file is complete up to here. */
int journal_sync(struct journal *j, struct softlbr_error *e);
/* The sums over all processes, as far as 63 bits go; @refused: errno of an event that one could not
 * open, or 0. */
void journal_count(const struct journal *j, uint64_t counters[COUNTER_COUNT], int *refused);
/* The programs that were not entered, of all processes; @out is empty before. */
void journal_refusals(const struct journal *j, struct refusal_list *out);
/* What is mapped is told again, in a new file: each stands for itself. */
int journal_tell_again(struct journal *j, struct softlbr_error *e);
/* Write the recording's features and close it. @command is NULL-terminated. */
int journal_finish(struct journal *j, char *const *command, struct softlbr_error *e);
/* From now on the end of this thread, however it comes, ends the recording: processes see it. */
int journal_hold(struct journal *j, struct softlbr_error *e);
/* Free everything and remove the directory. Fine at any time. */
void journal_close(struct journal *j);

#endif
