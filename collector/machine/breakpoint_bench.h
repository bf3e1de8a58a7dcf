/* SPDX-License-Identifier: MIT */
/*
 * What a breakpoint costs here: Break Dancing (LCTES 2021), section 3.2 and Figure 6. Threads that
 * share nothing each set a hardware breakpoint, and set one and run into it, again and again, with
 * an empty signal handler; the cost is each thread's own processor time. Two ways for the signal to
 * come: sigtrap, which softlbr records with, and F_SETSIG, which is what there was before Linux
 * 5.13.
 *
 * Takes over SIGTRAP, SIGIO and one real-time signal while it runs: for one thread at a time, and
 * not in a program that is being recorded.
 */
#ifndef COLLECTOR_MACHINE_BREAKPOINT_BENCH_H
#define COLLECTOR_MACHINE_BREAKPOINT_BENCH_H

#include <stdint.h>

#include "softlbr/error.h"

enum breakpoint_delivery {
	BREAKPOINT_SIGTRAP,
	BREAKPOINT_SETSIG,
	BREAKPOINT_DELIVERIES,
};

#define BREAKPOINT_BENCH_THREADS_MAX 1024u
#define BREAKPOINT_BENCH_REPEATS_MAX 99u

struct breakpoint_bench_options {
	enum breakpoint_delivery delivery;
	unsigned threads;    /* 1 to BREAKPOINT_BENCH_THREADS_MAX */
	unsigned operations; /* of each kind, per thread and repeat; at least 1 */
	unsigned repeats;    /* 1 to BREAKPOINT_BENCH_REPEATS_MAX; medians over them */
};

/* Processor time per operation. */
struct breakpoint_cost {
	double set_us;	    /* move the breakpoint and enable it */
	double set_hit_us;  /* and run into it, its signal included */
	uint64_t hits;	    /* that came */
	uint64_t missed;    /* runs over the breakpoint without a signal; not in the costs */
	uint64_t overflows; /* SIGIO instead of a full queue's real-time signal */
};

/* 0, or SYSTEM: no threads, no events or no breakpoints to be had. */
int breakpoint_bench_run(const struct breakpoint_bench_options *o, struct breakpoint_cost *cost,
			 struct softlbr_error *e);

const char *breakpoint_bench_delivery_text(enum breakpoint_delivery delivery);

#endif
