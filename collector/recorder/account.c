/* SPDX-License-Identifier: MIT */
#include "collector/recorder/account.h"

#include <math.h>

/* What a start and a switch cost at most, ns; and of the program's time, one part in so many is
 * worth looking at. */
#define START_NS  400000.0
#define SWITCH_NS 5000.0
#define PART	  1000.0
/* Of that time, to measure one of each. */
#define MEASURED_PART 100u

/* What starts there were. Programs load the collector; children of a fork have it. */
struct starts {
	double forks, execs, brief, threads;
};

static double above(double a, double b)
{
	return a > b ? a - b : 0;
}

static struct starts count_starts(const struct recorder_result *r)
{
	double forks = (double)r->counters[COUNTER_FORKS], processes = (double)r->processes;
	double brief = (double)r->counters[COUNTER_THREADS_BRIEF];

	return (struct starts){
		.forks = forks,
		.execs = above(processes, forks),
		.brief = brief,
		.threads = above((double)r->counters[COUNTER_THREADS], processes + brief),
	};
}

bool account_needs_events(const struct recorder_result *r, bool outside,
			  struct event_cost_wanted *wanted)
{
	const struct starts s = count_starts(r);
	double worth = (double)r->cpu_ns / PART / START_NS;

	*wanted = (struct event_cost_wanted){
		.threads = !outside && s.brief + s.threads > worth,
		.forks = !outside && s.forks > worth,
		.execs = !outside && s.execs > 1 && s.execs > worth,
		.most_ns = r->cpu_ns / MEASURED_PART,
	};
	return wanted->threads || wanted->forks || wanted->execs ||
	       ((double)r->counters[COUNTER_THREADS] + (double)r->processes > 2 &&
		(double)r->switches * SWITCH_NS > (double)r->cpu_ns / PART);
}

static double starts_us(const struct recorder_result *r, const struct event_cost *c)
{
	const struct starts s = count_starts(r);

	return s.forks * c->fork_us + s.execs * c->exec_us + s.brief * c->brief_us +
	       s.threads * c->thread_us;
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
		.starts = (double)c[COUNTER_START_NS] / 1e9,
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
