/* SPDX-License-Identifier: MIT */
/* What a plan asks of the machine. */
#ifndef COLLECTOR_PLAN_PLAN_MACHINE_H
#define COLLECTOR_PLAN_PLAN_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/engine/rate.h"
#include "collector/kernel/event.h"
#include "softlbr/error.h"

struct plan_machine {
	/* The seccomp filters that the caller is under. */
	uint32_t (*filters)(void);
	/* Does a filter end who opens an event? */
	bool (*kills)(void);
	/* As event_parse: "auto" is the best event that can be opened. */
	int (*find_event)(const char *name, struct event *out, struct softlbr_error *e);
	/* 0, or the errno of an event and of a breakpoint that can't be had. */
	int (*try_event)(struct event *event);
	int (*try_breakpoint)(bool asynchronous);
	/* Are there timers of a thread's processor time that interrupt no system call? */
	bool (*has_timers)(void);
	/* What memory costs; 0, or -1 without memory. */
	int (*measure)(struct rate_machine *out);
	/* How many branches look-ahead follows in the time that a sample of @event costs; 0 or
	 * SYSTEM. NULL: nobody asks. */
	int (*find_depth)(const struct event *event, uint32_t *depth, struct softlbr_error *e);
};

/* This machine, without find_depth. It forks where only a child can try what a filter does. */
extern const struct plan_machine plan_machine_own;

#endif
