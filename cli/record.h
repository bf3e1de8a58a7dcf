/* SPDX-License-Identifier: MIT */
/* softlbr record: what is asked for, how it is done, and what is said of it, in a file each. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/plan/plan.h"
#include "collector/recorder/recorder.h"
#include "converter/pipeline/accumulate.h"

#define STATUS_SOFTLBR_FAILED 125

struct file_guard_kind;

struct record_arguments {
	struct plan_request asked;
	struct recorder_options o; /* its session is the plan's */
	const char *stats;
	bool ptrace;	/* the program is recorded from outside, as the plan says */
	bool traces;	/* it calls ptrace(2) itself */
	char *followed; /* where links lead that stood for the output */
	bool force;
	bool quiet, verbose;
	struct accumulate aggregate; /* of a directory, if it is asked for */
	uint32_t aggregate_mib;
};

/* What draws libraries in that the rest does without: the converter for --aggregate, jansson for
 * --stats. The small program has none of it (front.c). */
struct record_extras {
	int (*open_aggregate)(struct record_arguments *a, struct softlbr_error *e);
	void (*close_aggregate)(struct record_arguments *a);
	const struct file_guard_kind *stats_kind;
	int (*write_stats)(const struct record_arguments *a, const struct recorder_result *r,
			   struct softlbr_error *e);
};

#define RECORD_NEEDS_EXTRAS (-1)

/* The whole command; its exit status. With @x NULL RECORD_NEEDS_EXTRAS, before anything was done,
 * if it takes those. */
int record_run(int argc, char **argv, const struct record_extras *x);

/* What is said while nothing is wrong. */
void record_tell(const struct record_arguments *a, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Bad usage is explained, and ends the program. */
void record_options_parse(int argc, char **argv, struct record_arguments *a);

/* How a recording by --until stands, a struct convergence_options' tell of a struct
 * record_arguments: on a terminal that the command does not write to, each second. */
void record_progress_tell(void *arguments, double noise, double seconds, bool reached);
/* That line goes. */
void record_progress_end(const struct record_arguments *a);

/* Say on standard error how it went: in one line, and at most one more of advice; by --verbose all
 * that is known; by --quiet nothing. */
void record_report_print(const struct record_arguments *a, const struct recorder_result *r);
/* The recording failed for @why, after it had begun. */
void record_report_failure(const struct record_arguments *a, const struct recorder_result *r,
			   const char *why);
/* A signal ended the command: which, as a shell says it. */
void record_report_signal(const struct record_arguments *a, const struct recorder_result *r);

#endif
