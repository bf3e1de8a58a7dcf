/* SPDX-License-Identifier: MIT */
/*
 * The collector library (libsoftlbr-collector.so), for programs that link it: record the program's
 * own taken branches between two calls. Link it before libc (any -l option does that), so that
 * threads created later are recorded too.
 *
 *	struct softlbr_collector_options options = {.size = sizeof(options), .output = "perf.data"};
 *	struct softlbr_error error = {0};
 *
 *	if (softlbr_collector_start(&options, &error))
 *		fprintf(stderr, "%s\n", error.text);
 *	...
 *	softlbr_collector_stop(&error);
 *
 * Only one thread at a time may call these functions. While recording, the collector handles
 * SIGTRAP. It keeps the program's own handler, and calls it for the program's own SIGTRAPs.
 */
#ifndef SOFTLBR_COLLECTOR_H
#define SOFTLBR_COLLECTOR_H

#include <stddef.h>
#include <stdint.h>

#include "softlbr/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct softlbr_collector_branch {
	uint64_t from, to;
};

/* What a thread did behind a sample: the taken branches that hardware's branch records would have
 * had soon after it. A long trace comes in parts of at most 127, the oldest part first, each with
 * the last branch of the one before. */
struct softlbr_collector_trace {
	size_t size;					 /* of this struct */
	const struct softlbr_collector_branch *branches; /* newest first; the library's */
	size_t count;
	uint64_t start; /* the address where the trace, or its part, begins */
	uint32_t tid;
	uint64_t time_ns; /* of CLOCK_MONOTONIC */
	uint64_t weight;  /* taken branches that the whole trace stands for; 0: not known */
};

/*
 * Zero means the default for every member but the first. Programs and libraries of different ages
 * work together: members that one of them does not know are 0, by `size`.
 *
 * By default a program is recorded as by `softlbr record`: by time, in traces of 2,048 taken
 * branches, 4,096 where nothing has to be stopped for, each weighted by its branch rate.
 */
struct softlbr_collector_options {
	size_t size;	    /* sizeof(struct softlbr_collector_options) */
	const char *output; /* recording to write, "perf.data"; an old file becomes NAME.old */
	const char *event;  /* sampling event, as `softlbr record -e`: "auto" */
	uint64_t period;    /* mean sampling period, in events or ns: 10 ms of CPU time; longer
			     * where that would cost more than `budget` */
	/* Taken branches per trace, 1 to 4096; 16 by default with events of a PMU. */
	unsigned depth;
	/* As of `softlbr record`; NULL: its default. */
	const char *branches;	      /* -j: "any", "call,return", "stack" ... */
	const char *timer_correction; /* "auto", "model", "probe" or "off" */
	unsigned values;	      /* most values of a trace that are recorded; 0: none */
	unsigned stack_copy;	      /* bytes of the stack that are copied, a multiple of 8 */
	/* The last branches of a thread, as hardware would give them, are told here: there is no
	 * other way to read them. Called for each trace, not long after it was made, by the
	 * collector's own thread, which is not recorded, or by a thread that is in one of the
	 * functions below. It must not call them, and is not called any more when
	 * softlbr_collector_stop has returned. May be NULL.
	 */
	void (*trace)(void *context, const struct softlbr_collector_trace *trace);
	void *context;
	/* What recording may cost, in hundredths of a percent of the program's CPU time, 10 to
	 * 10000; 0: 4 %, of samples by time. */
	unsigned budget;
};

/*
 * Start recording all existing threads and those created later. @options may be NULL: all defaults.
 * Returns 0, or a negative enum
 * softlbr_code and fills @e (which may be NULL): USAGE for invalid options or when already
 * recording, SYSTEM when the machine can't record (`softlbr doctor` says why).
 */
SOFTLBR_EXPORT int softlbr_collector_start(const struct softlbr_collector_options *options,
					   struct softlbr_error *e);

/*
 * Write what was recorded so far to @path, a perf.data, and continue with a new recording in the
 * output file. Returns 0, or a negative code: USAGE when not recording, or if @path is the output
 * file. After any other error recording has stopped, and softlbr_collector_stop reports the error
 * too.
 */
SOFTLBR_EXPORT int softlbr_collector_dump(const char *path, struct softlbr_error *e);

/*
 * Discard what was recorded so far, for example during a warm-up, and continue. Errors are as for
 * softlbr_collector_dump.
 */
SOFTLBR_EXPORT int softlbr_collector_reset(struct softlbr_error *e);

/* What a recording costs, since it was started. */
struct softlbr_collector_cost {
	size_t size;	   /* sizeof(struct softlbr_collector_cost) */
	uint64_t traces;   /* that were recorded */
	uint64_t period;   /* the mean interval between two of them, in events or ns of a thread's
			    * CPU time: longer than asked for where traces would cost too much; 0: not
			    * known yet */
	uint64_t spent_ns; /* of the program's CPU time, in the collector's signal handler */
};

/*
 * What the recording costs so far. Returns 0, or a negative code: USAGE when not recording, or for
 * a struct without a size.
 */
SOFTLBR_EXPORT int softlbr_collector_measure(struct softlbr_collector_cost *cost,
					     struct softlbr_error *e);

/*
 * Stop and complete the recording. No descriptor, no breakpoint and no SIGTRAP handler remains,
 * with two exceptions: if one of the collector's signals may still be pending for a thread after a
 * second, the handler stays; and other threads keep an alternate signal stack of the collector (64
 * KB of addresses) until they end. Returns 0, or a negative code: USAGE when not recording, another
 * one if the recording could not be written.
 */
SOFTLBR_EXPORT int softlbr_collector_stop(struct softlbr_error *e);

#ifdef __cplusplus
}
#endif
#endif
