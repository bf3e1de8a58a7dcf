/* SPDX-License-Identifier: MIT */
/*
 * What a recording cost the program, in seconds of processor time; from outside, of time that its
 * threads stood still. The parts:
 *
 *	traces		handlers, or the tracer's work at stops: timed
 *	stops		the kernel's part of each: by what one costs on this machine
 *	calls		those that stand before libc's: timed, above libc's own
 *	starts		of threads and processes: timed, and the kernel's part and the loading
 *			of the collector by what they cost on this machine
 *	switches	to threads that have events: likewise
 *	recorder	its own processor time
 *
 * What the caches lose to a handler is in none of them.
 */
#pragma once

#include "collector/machine/event_cost.h"
#include "collector/recorder/recorder.h"

/* X(member, name in statistics, what the user reads) */
/* clang-format off */
#define ACCOUNT_PARTS(X) \
	X(traces, "traces_s", "traces") \
	X(stops, "stops_s", "signals and breakpoints") \
	X(calls, "calls_s", "changes of the signal mask") \
	X(starts, "starts_s", "starts of processes and threads") \
	X(switches, "switches_s", "switches between threads") \
	X(recorder, "recorder_s", "the recorder")
/* clang-format on */

struct account {
#define X(member, name, text) double member;
	ACCOUNT_PARTS(X)
#undef X
	double program;	 /* of its processor time, what is the program's own; above 0 */
	double overhead; /* all parts, as a share of that; NaN if nothing of it is left */
};

/* What this machine takes for each. */
struct account_rates {
	double stop_us;
	struct event_cost events;
};

/* May starts (none from @outside) and switches come to so much that event_cost_measure is worth its
 * time? Then @wanted is what it is to measure. */
bool account_needs_events(const struct recorder_result *r, bool outside,
			  struct event_cost_wanted *wanted);
/* @outside: the program stood still while traces were made. */
void account_make(struct account *a, const struct recorder_result *r,
		  const struct account_rates *rates, bool outside);
