/* SPDX-License-Identifier: MIT */
/* What long traces may cost: samples get rarer until they are a small part of a thread's time. */
#ifndef COLLECTOR_SESSION_BUDGET_H
#define COLLECTOR_SESSION_BUDGET_H

#include <stdint.h>

/* One part in so many may be ours. */
#define BUDGET_PART 50u

/* The least mean distance of samples for traces of @trace_ns. */
static inline uint64_t budget_distance_ns(uint64_t trace_ns, uint64_t period_ns)
{
	uint64_t least = trace_ns * BUDGET_PART;

	return least > period_ns ? least : period_ns;
}

/* What a trace costs as long as none was made: what the period allows. */
static inline uint64_t budget_first_ns(uint64_t period_ns)
{
	return period_ns / BUDGET_PART;
}

/* The average cost of the last traces, with one more. */
static inline uint64_t budget_average_ns(uint64_t average_ns, uint64_t spent_ns)
{
	return (7 * average_ns + spent_ns) / 8;
}

#endif
