/* SPDX-License-Identifier: MIT */
/*
 * What the kernel does more for threads that have our events, which no collector sees of itself:
 * measured in children of the caller.
 */
#pragma once

#include "collector/kernel/event.h"
#include "softlbr/error.h"

/* Microseconds of processor time each, without what the collector times itself. */
struct event_cost {
	double switch_us; /* to another thread that has them, too */
	double brief_us; /* a thread's life, without its switches, and without a clock of its own */
	double thread_us; /* the same with one */
	double fork_us;	  /* a forked process's */
	double exec_us;	  /* of a program that loads the collector, before it joins */
};

/* A collector; NULL: none is loaded. */
struct event_cost_library {
	const char *path;
	const char *variable; /* tells it of a session */
};

/* Which are asked for, and the processor time that each may take: what there is of none costs
 * nothing. Twice the least that it takes is taken anyhow. */
struct event_cost_wanted {
	bool threads, forks, execs; /* switches are measured with any */
	uint64_t most_ns;
};

/* 0 or SYSTEM. */
int event_cost_measure(const struct event *event, const struct event_cost_library *library,
		       const struct event_cost_wanted *wanted, struct event_cost *out,
		       struct softlbr_error *e);
