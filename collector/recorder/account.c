/* SPDX-License-Identifier: MIT */
#include "collector/recorder/account.h"

#include <math.h>

/* What a start and a switch cost at most, ns; and of the program's time, one part in so many is
 * worth looking at. */
#define START_NS  400000.0
#define SWITCH_NS 5000.0
#define PART	  1000.0

/* Of a start's own time, what the kernel takes later: to copy memory that is written behind a fork,
 * and to free it with the events. Of forks, programs and threads alike. */
#define LATER 0.4

bool account_needs_events(const struct recorder_result *r)
{
	double starts = (double)r->counters[COUNTER_THREADS] + (double)r->processes;

	return starts > 2 &&
	       starts * START_NS + (double)r->switches * SWITCH_NS > (double)r->cpu_ns / PART;
}

/* Programs load the collector; children of a fork have it. */
static double starts_us(const struct recorder_result *r, const struct event_cost *c)
{
	double forks = (double)r->counters[COUNTER_FORKS], processes = (double)r->processes;
	double execs = processes > forks ? processes - forks : 0;
	double threads = (double)r->counters[COUNTER_THREADS] - processes;

	return forks * c->fork_us + execs * c->exec_us + (threads > 0 ? threads : 0) * c->thread_us;
}

void account_make(struct account *a, const struct recorder_result *r,
		  const struct account_rates *rates, bool outside)
{
	const uint64_t *c = r->counters;
	double stops = (double)c[COUNTER_SAMPLES] + (double)c[COUNTER_HITS], within, apart;

	*a = (struct account){
		.traces = (double)c[COUNTER_HANDLER_NS] / 1e9,
		.stops = stops * rates->stop_us / 1e6,
		.calls = (double)c[COUNTER_CALL_TICKS] * r->tick_ns / 1e9,
		.starts = (1 + LATER) * (double)c[COUNTER_START_NS] / 1e9,
		.switches = (double)r->switches * rates->events.switch_us / 1e6,
		.recorder = (double)r->own_ns / 1e9,
	};
	if (!outside)
		a->starts += starts_us(r, &rates->events) / 1e6;
	apart = a->recorder;
	within = a->calls + a->starts + a->switches;
	if (outside)
		apart += a->traces + a->stops;
	else
		within += a->traces + a->stops;
	a->program = (double)r->cpu_ns / 1e9 - within;
	a->overhead = a->program > 0 ? (within + apart) / a->program : NAN;
}
