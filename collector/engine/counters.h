/* SPDX-License-Identifier: MIT */
/* What a profiled process counts; recorder/stats.c has their names. */
#pragma once

#include <stdint.h>

#include "collector/engine/core.h"

/* What happened in a process; atomic counters, added to by its threads. */
enum session_counter {
	COUNTER_SAMPLES,	  /* sampling stops */
	COUNTER_HITS,		  /* breakpoint stops */
	COUNTER_TRACES,		  /* written */
	COUNTER_BRANCHES,	  /* taken branches in them */
	COUNTER_PERIODS,	  /* the sum of their periods */
	COUNTER_VALUES,		  /* values of sites, written */
	COUNTER_VALUES_MET,	  /* seen by look-ahead in the traces written */
	COUNTER_VALUES_DROPPED,	  /* not written for want of a buffer */
	COUNTER_STACKS,		  /* copies of stacks, written */
	COUNTER_STACKS_DROPPED,	  /* not written for want of a buffer */
	COUNTER_LOADS,		  /* loads whose times were written */
	COUNTER_LOADS_MET,	  /* timed by look-ahead in the traces written */
	COUNTER_LOADS_DROPPED,	  /* not written for want of a buffer */
	COUNTER_RESOLVED,	  /* branches resolved without a stop */
	COUNTER_RESOLVED_STATIC,  /* of them by decoding alone */
	COUNTER_RESOLVED_TAKEN,	  /* of them taken */
	COUNTER_UNRESOLVED,	  /* branches that a stop resolved */
	COUNTER_TAKEN,		  /* of them taken */
	COUNTER_STANDING,	  /* of them, without a breakpoint of their own */
	COUNTER_BREAKPOINTS,	  /* breakpoints set */
	COUNTER_UNMODELLED,	  /* stops behind what can't be evaluated */
	COUNTER_DECODED,	  /* instructions decoded */
	COUNTER_EVALUATED,	  /* instructions evaluated */
	COUNTER_BREAKPOINT_FREE,  /* traces completed without a breakpoint */
	COUNTER_AUDITS,		  /* trace ends checked */
	COUNTER_AUDITS_WRONG,	  /* of them not as claimed */
	COUNTER_PAGES,		  /* pages of memory asked for */
	COUNTER_PROBES,		  /* segments that were to be timed, of complete traces */
	COUNTER_PROBES_TIMED,	  /* of them timed, and not empty */
	COUNTER_PROBES_DIVERGED,  /* of them not run as foreseen */
	COUNTER_SLOW_LINES,	  /* cache lines that look-ahead loaded from memory */
	COUNTER_HANDLER_NS,	  /* processor time in our handler, decoding included */
	COUNTER_DECODE_TICKS,	  /* time spent decoding (isa/host.h) */
	COUNTER_SKIPPED,	  /* hits before the awaited one, as foreseen */
	COUNTER_DROPPED,	  /* traces lost for want of a buffer */
	COUNTER_LATE,		  /* sampling signals that came late (SIGTRAP was blocked) */
	COUNTER_LOST,		  /* traces whose breakpoint was never hit */
	COUNTER_SIGNALLED,	  /* traces dropped: a signal handler of the program's came */
	COUNTER_SPURIOUS,	  /* breakpoint hits elsewhere than asked */
	COUNTER_NO_BREAKPOINT,	  /* breakpoints that the kernel refused */
	COUNTER_THREADS,	  /* threads sampled */
	COUNTER_THREADS_FAILED,	  /* threads whose events could not be opened */
	COUNTER_THREADS_BY_TIMER, /* threads that a timer samples */
	COUNTER_KERNEL,		  /* samples in a system call (attached), or directly behind */
	COUNTER_TRAP_BLOCKED,	  /* breakpoints not set: no signal for them (attached) */
	COUNTER_EARLY,		  /* traces that ended early, by reason: */
	COUNTER_COUNT = COUNTER_EARLY + 16,
};

/* Add what a core counted since it was last seen. In handlers too. */
void counters_add_core(uint64_t counters[COUNTER_COUNT], const struct core_counters *now,
		       struct core_counters *seen);

/* Which part of the traces, dropped ones too, was completed without a breakpoint but for audits;
 * NaN if there are none. */
double counters_breakpoint_free(const uint64_t counters[COUNTER_COUNT]);
