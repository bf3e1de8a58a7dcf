/* SPDX-License-Identifier: MIT */
/*
 * What a hardware breakpoint costs the calling thread: to move it, and to move it and run into it,
 * again and again, with an empty signal handler. SIGTRAP is taken over meanwhile, which a program
 * that is being recorded can't do.
 */
#pragma once

#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* A thread's: it has its own breakpoint, and all times are its own processor time. */
struct breakpoint_cost {
	struct perf_event_attr attr;
	int fd;
	int error; /* errno; then nothing is measured */
	uint64_t set_ns, set_hit_ns;
	uint64_t hits, missed; /* set_hit's signals, and its runs that brought none */
};

/* For the process, before the first begin; @old is what sigaction(2) gets back after the last end.
 */
void breakpoint_cost_take_signal(struct sigaction *old);

/* end is due also where begin left an error. */
void breakpoint_cost_begin(struct breakpoint_cost *c, bool asynchronous);
void breakpoint_cost_set(struct breakpoint_cost *c, unsigned operations);
void breakpoint_cost_set_hit(struct breakpoint_cost *c, unsigned operations);
void breakpoint_cost_end(struct breakpoint_cost *c);
