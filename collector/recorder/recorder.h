/* SPDX-License-Identifier: MIT */
/* The recorder: runs a command with the collector preloaded and writes its perf.data. */
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "collector/recorder/control.h"
#include "collector/recorder/convergence.h"
#include "collector/recorder/command.h"
#include "collector/recorder/exclusion_list.h"
#include "collector/recorder/recording_file.h"
#include "collector/recorder/selection.h"
#include "collector/recorder/stop_times.h"
#include "collector/shared/session.h"
#include "softlbr/error.h"

struct recorder_options {
	struct session_options session;
	const char *output;
	const char *library;		       /* libsoftlbr-collector.so */
	struct executable_sanitizer sanitizer; /* of the command */
	char *const *command;		       /* NULL-terminated */
	struct selection selection;	       /* of what to record instead of a command */
	char *const *softlbr_command;	       /* ours, for the file's header */
	bool keeps_binaries; /* copies of them beside the output (kept_binaries.h) */
	struct control_options control;
	struct rotation_options rotation; /* of recordings that are not kept */
	struct convergence_options convergence;
};

struct recorder_result {
	int status;	     /* as waitpid(2) gives it */
	bool left;	     /* from outside: its tracer was killed, and it went on to its end */
	int exec_errno;	     /* why the command could not be run, or 0 */
	unsigned processes;  /* that joined the session */
	int refused;	     /* errno of an event that a process could not open, or 0 */
	uint64_t bytes;	     /* of perf.data */
	bool kept_old;	     /* nothing was recorded: the output is still the one from before */
	uint64_t foreign;    /* records in a process's buffers that the collector has not written */
	uint64_t cpu_ns;     /* user and system time of the command, or of all that was recorded */
	uint64_t user_ticks; /* of that in user code, and in the kernel; only their ratio counts */
	uint64_t system_ticks;
	uint64_t switches; /* of a command's threads, or of those that live in the end; 0 if they
			    * are not known */
	uint64_t
		sampled_ns; /* from outside: the mean intervals in force at each sample, added up */
	struct stop_times stops; /* the same */
	bool was_on, was_off;	 /* from outside: recording was switched so at any time */
	unsigned left_out;	 /* running children of what was recorded that are not in */
	uint64_t own_ns; /* of the recorder, which writes traces; from outside of the tracer while
			  * no thread stood still for it */
	double tick_ns;	 /* length of a tick (isa/host.h) */
	bool converged;	 /* it ended by convergence_options.noise */
	struct convergence_end convergence;
	uint64_t counters[COUNTER_COUNT];
	struct exclusion_list exclusions; /* programs that were not entered */
};

/*
 * Run the command to its end. 0 if it ran, whatever its status: look at the result. An existing
 * output is kept as OUTPUT.old, if anything was recorded.
 */
int recorder_run(const struct recorder_options *o, struct recorder_result *result,
		 struct softlbr_error *e);

/* What the command used by then, and those of its descendants that were waited for. */
void recorder_take_usage(struct recorder_result *r, const struct rusage *u);
