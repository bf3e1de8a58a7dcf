/* SPDX-License-Identifier: MIT */
/* A session's perf.data: its event and header, and the files that it is kept in. */
#pragma once

#include "collector/shared/session.h"
#include "formats/perfdata_write.h"
#include "softlbr/error.h"

/* Create @output for a session's samples; an existing one is kept as OUTPUT.old, from the first
 * sample on: a recording without any leaves both where they are. */
int recording_file_open(struct perfdata_writer *w, const struct session_options *o,
			const char *output, struct softlbr_error *e);
/* Remove a recording that is of nothing, and not what was there before; its writer is still open.
 */
void recording_file_remove(const struct perfdata_writer *w, const char *output);
/* Is it standard output, which the command gives up for that? */
bool recording_file_is_pipe(const char *output);
/* A command's standard output is standard error where its own is the recording. In the child. */
void recording_file_give_output(const char *output);
/* End a round of appending: what is in the file is complete up to here. */
int recording_file_sync(struct perfdata_writer *w, struct softlbr_error *e);
/* Write the features, among them what was counted, and close. @command is NULL-terminated. */
int recording_file_finish(struct perfdata_writer *w, const struct session_options *o,
			  const uint64_t counters[COUNTER_COUNT], char *const *command,
			  struct softlbr_error *e);

/* Finish the recording, keep it as @kept, and go on in a new one. */
int recording_file_rotate_to(struct perfdata_writer *w, const struct session_options *o,
			     const uint64_t counters[COUNTER_COUNT], char *const *command,
			     const char *output, const char *kept, struct softlbr_error *e);
/* The same, kept as OUTPUT.*number, the next after *number that is free. */
int recording_file_rotate(struct perfdata_writer *w, const struct session_options *o,
			  const uint64_t counters[COUNTER_COUNT], char *const *command,
			  const char *output, unsigned *number, struct softlbr_error *e);

/* A recording that is not kept: the file is cut every so many bytes, and each part is given to a
 * worker thread that makes something smaller of it, while the recorder writes the next. */
struct rotation_options {
	uint64_t bytes; /* of a part; 0 = the recording is kept whole */
	/* Take the part at @path, a whole perf.data, and remove it. @rotate: what follows is for
	 * new files. Called in a thread, one at a time. */
	int (*take)(void *context, const char *path, bool rotate, struct softlbr_error *e);
	void *context;
};
