/* SPDX-License-Identifier: MIT */
/*
 * The collector for programs that link it (libsoftlbr-collector.so): record the program's own taken
 * branches between two calls. Link it before libc (any -l option does), so that threads created
 * later are seen.
 *
 *	struct softlbr_collector_options options = {.size = sizeof(options), .output = "perf.data"};
 *	struct softlbr_error error = {0};
 *
 *	if (softlbr_collector_start(&options, &error))
 *		fprintf(stderr, "%s\n", error.text);
 *	...
 *	softlbr_collector_stop(&error);
 *
 * The calls are for one thread at a time. While recording, SIGTRAP is the collector's; a
 * handler of the program's is kept and called for SIGTRAPs that are its own.
 */
#ifndef SOFTLBR_COLLECTOR_H
#define SOFTLBR_COLLECTOR_H

#include <stddef.h>
#include <stdint.h>

#include "softlbr/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero means the default for every member but the first. */
struct softlbr_collector_options {
	size_t size;	    /* sizeof(struct softlbr_collector_options) */
	const char *output; /* recording to write: "perf.data"; an old one is kept as NAME.old */
	const char *event;  /* as of `softlbr record -e`: "auto" */
	uint64_t period;    /* mean distance of samples, in events or ns; the event's own */
	unsigned depth;	    /* taken branches per trace, 1 to 4096: 16 */
};

/*
 * Start recording all threads that exist and those created later. 0, or a negative enum
 * softlbr_code with @e filled (it may be NULL): USAGE for options that make no sense or when
 * already recording, SYSTEM when the machine refuses (`softlbr doctor` tells why).
 */
SOFTLBR_EXPORT int softlbr_collector_start(const struct softlbr_collector_options *options,
					   struct softlbr_error *e);

/*
 * Complete what was recorded so far as @path, a perf.data, and go on with a new recording in the
 * output file. 0, or a negative code: USAGE when not recording or for the output's own name; after
 * another error recording has stopped, and softlbr_collector_stop tells of it too.
 */
SOFTLBR_EXPORT int softlbr_collector_dump(const char *path, struct softlbr_error *e);

/* Forget what was recorded so far, and go on: of a warm-up, for example. As softlbr_collector_dump.
 */
SOFTLBR_EXPORT int softlbr_collector_reset(struct softlbr_error *e);

/*
 * Stop and complete the recording: no descriptor, no breakpoint and no handler of SIGTRAP is left.
 * (A thread that may still have a signal of ours under way after a second keeps the handler; other
 * threads keep an alternate signal stack of ours, 64 KB of addresses, until they end.) 0, or a
 * negative code if the recording could not be written; USAGE when not recording.
 */
SOFTLBR_EXPORT int softlbr_collector_stop(struct softlbr_error *e);

#ifdef __cplusplus
}
#endif
#endif
