/* SPDX-License-Identifier: MIT */
/*
 * Ends a tracer that waits for a page of a program that waits for it.
 *
 * Only pages that are in memory are read (tracee_pages.h), but another thread can take one away
 * between the look and the read (MADV_DONTNEED). Then the tracer is in the kernel until the page
 * comes, and takes no signal but SIGKILL. So it has a thread that looks whether it is, and kills
 * the process: the kernel lets the program go on as if nothing had been (tracee_events.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "softlbr/error.h"

struct tracer_watch {
	uint64_t beats; /* tracer_watch_beat */
	pid_t tracer;	/* the thread that beats */
	pid_t recorder; /* our parent */
	bool *stuck;	/* becomes true before the end */
};

/* Watch the calling thread for as long as the process lives. */
int tracer_watch_start(struct tracer_watch *w, bool *stuck, struct softlbr_error *e);

/* Say that the tracer does not wait for ever. */
static inline void tracer_watch_beat(struct tracer_watch *w)
{
	__atomic_fetch_add(&w->beats, 1, __ATOMIC_RELAXED);
}
