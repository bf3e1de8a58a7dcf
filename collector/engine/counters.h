/* SPDX-License-Identifier: MIT */
/* What a profiled process counts. */
#pragma once

#include "collector/engine/core.h"

/* What happened in a process; atomic counters, added to by its threads: X(COUNTER_..., its name in
 * statistics). */
/* clang-format off */
#define COUNTERS(X) \
	X(SAMPLES, "sample_stops")              /* sampling stops */ \
	X(HITS, "hits")                         /* breakpoint stops */ \
	X(TRACES, "traces")                     /* written */ \
	X(BRANCHES, "branches")                 /* taken branches in them */ \
	X(PERIODS, "periods")                   /* the sum of their periods */ \
	X(VALUES, "values")                     /* values of sites, written */ \
	X(VALUES_MET, "values_met")             /* seen by look-ahead in the traces written */ \
	X(VALUES_DROPPED, "values_dropped")     /* not written for want of a buffer */ \
	X(STACKS, "stacks")                     /* copies of stacks, written */ \
	X(STACKS_DROPPED, "stacks_dropped")     /* not written for want of a buffer */ \
	X(LOADS, "loads")                       /* loads whose times were written */ \
	X(LOADS_MET, "loads_met")               /* timed by look-ahead in the traces written */ \
	X(LOADS_DROPPED, "loads_dropped")       /* not written for want of a buffer */ \
	X(RESOLVED, "resolved")                 /* branches resolved without a stop */ \
	X(RESOLVED_STATIC, "resolved_static")   /* of them by decoding alone */ \
	X(RESOLVED_TAKEN, "resolved_taken")     /* of them taken */ \
	X(UNRESOLVED, "unresolved")             /* branches that a stop resolved */ \
	X(TAKEN, "unresolved_taken")            /* of them taken */ \
	X(STANDING, "unresolved_standing")      /* of them, without a breakpoint of their own */ \
	X(BREAKPOINTS, "breakpoints")           /* breakpoints set */ \
	X(UNMODELLED, "unmodelled")             /* stops behind what can't be evaluated */ \
	X(DECODED, "decoded")                   /* instructions decoded */ \
	X(EVALUATED, "evaluated")               /* instructions evaluated */ \
	X(BREAKPOINT_FREE, "breakpoint_free")   /* traces completed without a breakpoint */ \
	X(AUDITS, "audits")                     /* trace ends checked */ \
	X(AUDITS_WRONG, "audits_wrong")         /* of them not as claimed */ \
	X(PAGES, "pages")                       /* pages of memory asked for */ \
	X(PROBES, "probes")                     /* segments that were to be timed, of complete traces */ \
	X(PROBES_TIMED, "probes_timed")         /* of them timed, and not empty */ \
	X(PROBES_DIVERGED, "probes_diverged")   /* of them not run as foreseen */ \
	X(SLOW_LINES, "slow_lines")             /* cache lines that look-ahead loaded from memory */ \
	X(HANDLER_NS, "handler_ns")             /* processor time in our handler, decoding included */ \
	X(CALL_TICKS, "call_ticks")             /* in calls that stand before libc's, above libc's own */ \
	X(START_NS, "start_ns")                 /* while processes and threads came in and left */ \
	X(FORKS, "forks")                       /* processes that a fork made */ \
	X(FORKS_SAMPLED, "forks_sampled")       /* of them, that had a sample, and so a file */ \
	X(DECODE_TICKS, "decode_ticks")         /* time spent decoding (isa/host.h) */ \
	X(SKIPPED, "skipped")                   /* hits before the awaited one, as foreseen */ \
	X(DROPPED, "dropped")                   /* traces lost for want of a buffer */ \
	X(LATE, "late")                         /* sampling signals that came late: blocked before */ \
	X(LOST, "lost")                         /* traces whose breakpoint was never hit */ \
	X(SIGNALLED, "signalled")               /* traces dropped for a handler of the program's */ \
	X(SPURIOUS, "spurious")                 /* breakpoint hits elsewhere than asked */ \
	X(NO_BREAKPOINT, "no_breakpoint")       /* breakpoints that the kernel refused */ \
	X(THREADS, "threads")                   /* threads sampled */ \
	X(THREADS_FAILED, "threads_failed")     /* threads whose events could not be opened */ \
	X(THREADS_BRIEF, "threads_brief")       /* of them, ended before they had a clock */ \
	X(THREADS_BY_TIMER, "threads_by_timer") /* threads that a timer samples */ \
	X(KERNEL, "in_kernel")                  /* samples in a system call, or directly behind */ \
	X(TRAP_BLOCKED, "trap_blocked")         /* breakpoints not set: no signal for them (attached) */ \
	X(TRAP_MASKED, "trap_masked")           /* times that the program blocked SIGTRAP: no samples */
/* clang-format on */

enum session_counter {
#define X(counter, name) COUNTER_##counter,
	COUNTERS(X)
#undef X
		COUNTER_EARLY, /* traces that ended early, by reason: */
	COUNTER_COUNT = COUNTER_EARLY + 16,
};

/* Could all of it have been counted? A program can overwrite its counters. */
bool counters_are_believable(const uint64_t counters[COUNTER_COUNT]);
/* Add what a core counted since it was last seen. In handlers too. */
void counters_add_core(uint64_t counters[COUNTER_COUNT], const struct core_counters *now,
		       struct core_counters *seen);

/* Which part of the traces, dropped ones too, was completed without a breakpoint but for audits;
 * NaN if there are none. */
double counters_breakpoint_free(const uint64_t counters[COUNTER_COUNT]);
