/* SPDX-License-Identifier: MIT */
/* softlbr record: its options (record_options.c), what it does (record.c, record_extras.c), and
 * what it prints (record_report.c). */
#pragma once

#include "collector/plan/plan.h"
#include "collector/recorder/account.h"
#include "collector/recorder/recorder.h"
#include "converter/pipeline/accumulate.h"

#define STATUS_SOFTLBR_FAILED 125

struct file_guard_kind;

struct record_arguments {
	struct plan_request asked; /* what the options say of the session */
	struct recorder_options o; /* its session is the plan's */
	const char *stats;
	bool ptrace;	/* the program is recorded from outside, as the plan says */
	bool traces;	/* it calls ptrace(2) itself */
	char *followed; /* the file that the output's symbolic links lead to; owned */
	bool force;
	bool quiet, verbose;
	struct account cost;	     /* after the recording: record_account */
	struct accumulate aggregate; /* --aggregate: without a directory it was not asked for */
	uint32_t aggregate_mib;
};

/* Options that need libraries: the converter for --aggregate, jansson for --stats. The small
 * program (front.c) has neither. */
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

/* The collector's library, into @path of PATH_MAX bytes. 0, or an error. */
int record_find_collector(char *path, struct softlbr_error *e);

/* Print a line to standard error, unless --quiet was given. */
void record_tell(const struct record_arguments *a, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Draw how far a recording by --until is, once a second, on a terminal that the command does not
 * write to. @arguments is a struct record_arguments (struct convergence_options, tell). */
void record_progress_tell(void *arguments, double noise, double seconds, bool reached);
/* Remove that line. */
void record_progress_end(const struct record_arguments *a);

/* Make @a->cost, of a recording that is over. Measures for up to 0.1 s. */
void record_account(struct record_arguments *a, const struct recorder_result *r);
/* Print the result to standard error: one line, and at most one of advice; with --verbose all that
 * is known; with --quiet nothing. */
void record_report_print(const struct record_arguments *a, const struct recorder_result *r);
/* The recording failed for @why, after it had begun. */
void record_report_failure(const struct record_arguments *a, const struct recorder_result *r,
			   const char *why);
/* A signal ended the command: which, as a shell says it. */
void record_report_signal(const struct record_arguments *a, const struct recorder_result *r);
