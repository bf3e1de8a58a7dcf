/* SPDX-License-Identifier: MIT */
/*
 * The attach backend: records a process from outside, by ptrace(2). For processes that run already,
 * and for commands that no library can be preloaded into.
 */
#pragma once

#include <stdbool.h>

#include "collector/recorder/recorder.h"

/*
 * Record the running processes of o->selection until they have ended, the duration is over or a
 * signal asks for it; or run o->command to its end if nothing is selected. The events of o->session
 * are of time. 0 if there was something to record: look at the result.
 *
 * The tracer is a process of its own. If the calling one is killed, it lets go of what it traces,
 * and completes the recording.
 */
int attach_run(const struct recorder_options *o, struct recorder_result *result,
	       struct softlbr_error *e);

/* Whether this machine lets the attach backend work. */

/* Trace a child of ours as the tracer does. 0 or an errno; *hit: it came to a breakpoint. */
int attach_check(bool *hit);
