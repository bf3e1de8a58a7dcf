/* SPDX-License-Identifier: MIT */
/*
 * What recording may cost: samples get rarer until it is a small part of a thread's time.
 *
 * A budget is in parts of BUDGET_WHOLE; 0: none. Traces may take BUDGET_TRACES parts of
 * BUDGET_PARTS of it: for each second of them, half as much goes to the recorder, which writes
 * them, to the kernel, and to caches. What calls and starts take of more than the rest is taken
 * from the traces' share, which is in millionths.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define BUDGET_WHOLE   10000u
#define BUDGET_DEFAULT 400u
#define BUDGET_RUNNING 300u /* of processes that run already: mostly services */
#define BUDGET_LEAST   10u
#define BUDGET_TRACES  5u
#define BUDGET_PARTS   8u
#define BUDGET_MILLION UINT64_C(1000000)

/* However dear the rest is, of so many samples one is left. */
#define BUDGET_RARER 8u

/* In a recording that has converged, samples are so many times as far apart. */
#define BUDGET_CONVERGED 4u

/* The kernel's code is not sampled: of a server's samples, most may not come. Their lag is how many
 * times as much time passes between them as the interval that is set, in 1,024ths. */
#define BUDGET_ALL_COME	   1024u
#define BUDGET_FEWEST_COME (64 * BUDGET_ALL_COME)

/* Timers that end in the kernel cost, too: so much closer than asked samples may be set. */
#define BUDGET_CLOSER 4u

/* No closer than this, or than asked: where a signal comes before the handler of the last one has
 * begun, and so on, the handler's stack is soon full. It is the least that
 * kernel/event.c lets ask for where signals are slow. */
#define BUDGET_CLOSEST_NS 500000u

/* The average lag of the last samples, with one that came @passed_ns after the one before it, where
 * @set_ns had been asked for. */
static inline uint32_t budget_lag(uint32_t average, uint64_t passed_ns, uint64_t set_ns)
{
	uint64_t now = set_ns ? passed_ns * BUDGET_ALL_COME / set_ns : BUDGET_ALL_COME;

	if (now < BUDGET_ALL_COME)
		now = BUDGET_ALL_COME;
	else if (now > BUDGET_FEWEST_COME)
		now = BUDGET_FEWEST_COME;
	return (uint32_t)((7 * (uint64_t)average + now) / 8);
}

/* The share of traces where nothing else costs much. */
static inline uint32_t budget_full_share(uint32_t budget)
{
	return (uint32_t)(budget * (BUDGET_MILLION / BUDGET_WHOLE) * BUDGET_TRACES / BUDGET_PARTS);
}

/* The same where calls and starts took @others_ns of @cpu_ns so far. */
static inline uint32_t budget_share(uint32_t budget, uint64_t others_ns, uint64_t cpu_ns)
{
	uint64_t full = budget_full_share(budget), least = full / BUDGET_RARER + 1;
	uint64_t all = budget * (BUDGET_MILLION / BUDGET_WHOLE);
	uint64_t others = cpu_ns ? others_ns / (cpu_ns / BUDGET_MILLION + 1) : 0;

	if (others <= all - full)
		return (uint32_t)full;
	return (uint32_t)(others + least < all ? all - others : least);
}

/* The mean interval to set for samples of which @period_ns of time is asked for each, for traces of
 * @trace_ns, which may take @share, with this @lag. */
static inline uint64_t budget_interval_ns(uint64_t trace_ns, uint32_t share, uint64_t period_ns,
					  uint32_t lag)
{
	uint64_t paid = trace_ns * BUDGET_MILLION / share, least = period_ns / BUDGET_CLOSER;
	uint64_t set = (paid > period_ns ? paid : period_ns) * BUDGET_ALL_COME / lag;

	if (least < BUDGET_CLOSEST_NS)
		least = period_ns < BUDGET_CLOSEST_NS ? period_ns : BUDGET_CLOSEST_NS;
	return set > least ? set : least;
}

/* The same, of a recording that has @converged, or not. */
static inline uint64_t budget_thinned_ns(uint64_t interval_ns, bool converged)
{
	return converged ? interval_ns * BUDGET_CONVERGED : interval_ns;
}

/* What a trace costs as long as none was made: what the period allows. */
static inline uint64_t budget_first_ns(uint64_t period_ns, uint32_t share)
{
	return period_ns * share / BUDGET_MILLION;
}

/* The average cost of the last traces, with one more. */
static inline uint64_t budget_average_ns(uint64_t average_ns, uint64_t spent_ns)
{
	return (7 * average_ns + spent_ns) / 8;
}
