/* SPDX-License-Identifier: MIT */
/*
 * The event whose overflows pick the moments where traces start: parsing its name as perf writes
 * it, and choosing the best one that this machine has.
 */
#ifndef COLLECTOR_EVENT_H
#define COLLECTOR_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "softlbr/error.h"

struct event {
	char name[64]; /* as perf prints it, ":u" included */
	uint32_t type; /* PERF_TYPE_* or a PMU's number */
	uint64_t config, config1, config2;
	bool time;     /* its unit is nanoseconds */
	bool branches; /* it counts (taken) branches: trace starts are unbiased */
	uint64_t default_period;
};

/*
 * @text is "auto"; a generic name (branches, instructions, cycles, task-clock, cpu-clock); a raw
 * event rHEX; or cpu/event=0xc4,umask=0x20/ or cpu/NAME/ as in /sys/bus/event_source/devices. A
 * modifier :u is accepted, others are refused: softlbr records user space only.
 */
int event_parse(const char *text, struct event *out, struct softlbr_error *e);

/* The best event that can be opened here: taken branches, branches, instructions, cycles,
 * task-clock. Falls back to task-clock without trying it. */
void event_choose(struct event *out);

/* Can the event be opened for this process, with a signal per overflow? 0, or errno. */
int event_try(const struct event *event);
/* Can a hardware breakpoint be had, with a signal per hit? 0, or errno. */
int event_try_breakpoint(void);

/* A period: a number, for time events with an optional unit (ns, us, ms, s). */
int event_parse_period(const char *text, const struct event *event, uint64_t *period,
		       struct softlbr_error *e);

/* The attributes shared by every opening of the event: user space, one signal per overflow. */
static inline void event_attr(const struct event *event, uint64_t period,
			      struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = event->type,
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.sample_period = period,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sigtrap = 1,
		.remove_on_exec = 1,
	};
}

#endif
