/* SPDX-License-Identifier: MIT */
#include "collector/engine/counters.h"

#include <math.h>

#include "base/atomics.h"

void counters_add_core(uint64_t counters[COUNTER_COUNT], const struct core_counters *now,
		       struct core_counters *seen)
{
#define ADD(counter, member) atomic_add_relaxed(&counters[counter], now->member - seen->member)
	ADD(COUNTER_RESOLVED, resolved);
	ADD(COUNTER_RESOLVED_STATIC, resolved_static);
	ADD(COUNTER_RESOLVED_TAKEN, resolved_taken);
	ADD(COUNTER_UNRESOLVED, unresolved);
	ADD(COUNTER_TAKEN, taken);
	ADD(COUNTER_STANDING, standing);
	ADD(COUNTER_UNMODELLED, unmodelled);
	ADD(COUNTER_DECODED, decoded);
	ADD(COUNTER_DECODE_TICKS, decode_ticks);
	ADD(COUNTER_EVALUATED, evaluated);
	ADD(COUNTER_BREAKPOINT_FREE, breakpoint_free);
	ADD(COUNTER_AUDITS, audits);
	ADD(COUNTER_AUDITS_WRONG, audits_wrong);
#undef ADD
	*seen = *now;
}

double counters_breakpoint_free(const uint64_t counters[COUNTER_COUNT])
{
	const uint64_t dropped = counters[COUNTER_DROPPED] + counters[COUNTER_SIGNALLED] +
				 counters[COUNTER_LOST] +
				 counters[COUNTER_EARLY + CORE_MISPREDICTED];
	const uint64_t all = counters[COUNTER_TRACES] + dropped;

	return all ? (double)counters[COUNTER_BREAKPOINT_FREE] / (double)all : (double)NAN;
}

/* As nanoseconds, the greatest numbers, 36 years of processor time. */
#define COUNT_MOST (UINT64_C(1) << 60)

bool counters_are_believable(const uint64_t counters[COUNTER_COUNT])
{
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		if (counters[i] >= COUNT_MOST)
			return false;
	return true;
}
