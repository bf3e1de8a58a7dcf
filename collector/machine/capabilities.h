/* SPDX-License-Identifier: MIT */
/*
 * What this machine lets a collector do, found by trying it: sampling events, the branch stack,
 * hardware breakpoints (one is set and hit), and the settings that stand in the way. For
 * `softlbr doctor`; takes over SIGTRAP while it runs and must not be called from a program that is
 * being recorded.
 */
#pragma once

#include "collector/kernel/event.h"

#define CAPABILITIES_EVENTS  4
#define CAPABILITIES_UNKNOWN INT32_MIN

struct capabilities_event {
	const char *name;
	int error;	/* 0, or errno of opening it with a signal per overflow */
	uint64_t count; /* what it counted over a short loop; 0 although open: it is not real */
};

struct capabilities {
	char kernel[65], machine[65]; /* as uname(2) has them */
	int kernel_major, kernel_minor;
	bool times_lines; /* its clock tells a load from memory from one from a cache */

	int paranoid;	  /* kernel.perf_event_paranoid, or CAPABILITIES_UNKNOWN */
	int ptrace_scope; /* kernel.yama.ptrace_scope, or CAPABILITIES_UNKNOWN: no Yama */
	int seccomp_mode; /* of this process; 2 = a filter; CAPABILITIES_UNKNOWN */
	bool cap_perfmon; /* CAP_PERFMON or CAP_SYS_ADMIN is effective */
	bool cap_ptrace;
	uint64_t memlock_bytes; /* UINT64_MAX = unlimited */

	int syscall_signal; /* perf_event_open ends the caller with this signal: 0 = it does not */
	int sampling_error; /* of task-clock with a signal per overflow: 0 or errno */
	bool asynchronous;  /* signals are sent by F_SETSIG: the kernel has no sigtrap */
	unsigned sample_count; /* signals seen in sample_ms milliseconds of processor time */
	unsigned sample_ms;
	struct event chosen; /* what -e auto takes */
	struct capabilities_event events[CAPABILITIES_EVENTS];
	int branch_stack_error; /* of opening a sampling event with a branch stack: 0 or errno */

	int breakpoint_error;	   /* 0 or errno */
	unsigned breakpoint_slots; /* how many could be open at once */
	unsigned breakpoint_calls, breakpoint_hits;
	double stop_us; /* processor time of a hit, its signal included */

	int ptrace_error; /* of tracing a child of ours as --ptrace does: 0 or errno */
	bool attach_hit;  /* it came to a breakpoint */
};

/* @attach tries the tracer: outside/attach.h. */
void capabilities_probe(struct capabilities *p, int (*attach)(bool *hit));

/* Is the machine's CPU the one that this softlbr is built for? */
bool capabilities_is_own_machine(const struct capabilities *p);
/* Can softlbr record a program here, with the collector loaded into it? */
bool capabilities_can_preload(const struct capabilities *p);
/* And from outside, as a tracer? */
bool capabilities_can_attach(const struct capabilities *p);
