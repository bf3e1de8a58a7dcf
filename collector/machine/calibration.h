/* SPDX-License-Identifier: MIT */
/*
 * What stops cost on this machine, measured in a fifth of a second: for what a collector can't see
 * of itself, the kernel's part of a sample and of a breakpoint hit, and for --depth=auto.
 *
 * Runs in the calling thread, which must be the only one that takes signals meanwhile; takes over
 * SIGTRAP.
 */
#pragma once

#include <linux/perf_event.h>
#include <signal.h>

#include "collector/engine/rate.h"
#include "collector/kernel/event.h"
#include "softlbr/error.h"

struct calibration {
	double sample_us;	  /* a sample that does nothing but arm the next one */
	double sample_arm_us;	  /* of it: arming, which happens in the handler */
	double breakpoint_set_us; /* to move a breakpoint */
	double breakpoint_hit_us; /* to run into it, with an empty handler */
	double branch_us; /* of look-ahead, per taken branch of a trace, in a built-in program */
	double spent_s;	  /* processor time that measuring took */
};

/* Sampling and look-ahead only: breakpoint_*_us are left alone, spent_s grows. 0 or SYSTEM. */
int calibration_sample(struct calibration *c, const struct event *event, struct softlbr_error *e);
/* The costs of breakpoints; spent_s grows. 0 or SYSTEM. */
int calibration_breakpoint(struct calibration *c, struct softlbr_error *e);

/* The kernel's part of a stop, measured in a few milliseconds: a signal as of @event and the return
 * from it; or that another process is woken and wakes this one. 0 or SYSTEM. */
int calibration_stop(const struct event *event, double *us, struct softlbr_error *e);
int calibration_switch(double *us, struct softlbr_error *e);

#define CALIBRATION_DEPTH_MIN 16u
#define CALIBRATION_DEPTH_MAX 1024u

/* The depth at which looking ahead takes as long as the sample before it. */
unsigned calibration_depth(const struct calibration *c);

/* ---- memory (rate_measure.c) ---------------------------------------------------------------- */

const char *rate_method_text(enum timer_correction correction);
/* Takes some 200 us; 0, or -1 without memory. */
int rate_measure(struct rate_machine *m);

/* ---- one breakpoint ------------------------------------------------------------------------- */

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
void calibration_take_signal(struct sigaction *old);

/* end is due also where begin left an error. */
void calibration_breakpoint_begin(struct breakpoint_cost *c, bool asynchronous);
void calibration_breakpoint_set(struct breakpoint_cost *c, unsigned operations);
void calibration_breakpoint_set_hit(struct breakpoint_cost *c, unsigned operations);
void calibration_breakpoint_end(struct breakpoint_cost *c);
