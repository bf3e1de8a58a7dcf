/* SPDX-License-Identifier: MIT */
/*
 * What the kernel does more for threads that have our events, which no collector sees of itself:
 * measured in some 30 ms of processor time, in children of the caller.
 */
#pragma once

#include "collector/kernel/event.h"
#include "softlbr/error.h"

/* Microseconds of processor time each, without what the collector times itself. */
struct event_cost {
	double switch_us; /* to another thread that has them, too */
	double thread_us; /* a thread's life, without its switches */
	double fork_us;	  /* a forked process's */
	double exec_us;	  /* of a program that loads the collector, before it joins */
};

/* A collector; NULL: none is loaded. */
struct event_cost_library {
	const char *path;
	const char *variable; /* tells it of a session */
};

/* 0 or SYSTEM. */
int event_cost_measure(const struct event *event, const struct event_cost_library *library,
		       struct event_cost *out, struct softlbr_error *e);
