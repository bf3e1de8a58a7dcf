/* SPDX-License-Identifier: MIT */
#include "collector/recorder/recording_file.h"

#include "collector/engine/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "collector/engine/core.h"

#define RECORD_FINISHED_ROUND 68 /* PERF_RECORD_FINISHED_ROUND, tools/perf/util/event.h */

bool recording_file_is_pipe(const char *output)
{
	return !strcmp(output, "-");
}

void recording_file_remove(const struct perfdata_writer *w, const char *output)
{
	if (perfdata_writer_appeared(w) && !recording_file_is_pipe(output) &&
	    !file_is_in_place(output))
		unlink(output);
}

void recording_file_give_output(const char *output)
{
	if (recording_file_is_pipe(output))
		dup2(STDERR_FILENO, STDOUT_FILENO);
}

int recording_file_open(struct perfdata_writer *w, const struct session_options *o,
			const char *output, struct softlbr_error *e)
{
	const struct perfdata_beside beside = {o->values, o->times, o->stack_copy,
					       ISA_HOST_UNWIND_MASK};
	struct perf_event_attr attr;

	event_attr(&o->event, o->period, &attr);
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_TYPE_SAVE |
				  trace_filter_sample_type(o->branches);
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	return perfdata_writer_open(w, output, &attr, &beside, e);
}

int recording_file_sync(struct perfdata_writer *w, struct softlbr_error *e)
{
	static const struct perf_event_header round = {RECORD_FINISHED_ROUND, 0, sizeof(round)};

	if (perfdata_writer_append(w, &round, sizeof(round), e))
		return -SOFTLBR_E_SYSTEM;
	return perfdata_writer_sync(w, e);
}

int recording_file_finish(struct perfdata_writer *w, const struct session_options *o,
			  const uint64_t counters[COUNTER_COUNT], char *const *command,
			  struct softlbr_error *e)
{
	char version[256], ended[32] = "";
	time_t now = time(NULL);
	struct tm utc;
	struct perfdata_features features = {
		.version = version,
		.event_name = o->event.name,
		.command = command,
	};

	if (gmtime_r(&now, &utc))
		strftime(ended, sizeof(ended), "%FT%TZ", &utc);
	snprintf(
		version, sizeof(version),
		"softlbr %s; event=%s; period=%llu; depth=%u%s; lookahead=%s; traces=%llu; branches=%llu; "
		"audits=%llu; wrong=%llu; ended=%s",
		SOFTLBR_VERSION, o->event.name, (unsigned long long)o->period,
		o->recorded ? o->recorded : o->depth, o->depth_auto ? " (auto)" : "",
		core_lookahead_text(o->lookahead), (unsigned long long)counters[COUNTER_TRACES],
		(unsigned long long)counters[COUNTER_BRANCHES],
		(unsigned long long)counters[COUNTER_AUDITS],
		(unsigned long long)counters[COUNTER_AUDITS_WRONG], ended);
	return perfdata_writer_close(w, &features, e);
}

int recording_file_rotate_to(struct perfdata_writer *w, const struct session_options *o,
			     const uint64_t counters[COUNTER_COUNT], char *const *command,
			     const char *output, const char *kept, struct softlbr_error *e)
{
	int rc = perfdata_writer_appear(w, e);

	if (!rc)
		rc = recording_file_finish(w, o, counters, command, e);
	if (!rc && rename(output, kept))
		rc = error_set_errno(e, output, "cannot keep %s as %s", output, kept);
	return rc ?: recording_file_open(w, o, output, e);
}

/* Take the name @kept if nobody has it. */
static bool is_taken(const char *kept)
{
	int fd = open(kept, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == EEXIST;
}

int recording_file_rotate(struct perfdata_writer *w, const struct session_options *o,
			  const uint64_t counters[COUNTER_COUNT], char *const *command,
			  const char *output, unsigned *number, struct softlbr_error *e)
{
	char *kept = NULL;
	int rc;

	do {
		memory_free(kept);
		kept = memory_format("%s.%u", output, ++*number);
		if (!kept)
			return error_set_nomem(e);
	} while (is_taken(kept));
	rc = recording_file_rotate_to(w, o, counters, command, output, kept, e);
	memory_free(kept);
	return rc;
}
