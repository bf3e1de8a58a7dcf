/* SPDX-License-Identifier: MIT */
/*
 * The event whose overflows pick the moments where traces start: parsing its name as perf writes
 * it, and choosing the best one that this machine has.
 */
#pragma once

#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <time.h>

#include "collector/engine/sampler.h"
#include "collector/kernel/syscall.h"
#include "collector/kernel/task_status.h"
#include "isa/host.h"
#include "softlbr/error.h"

struct event {
	char name[64]; /* as perf prints it, ":u" included */
	uint32_t type; /* PERF_TYPE_* or a PMU's number */
	uint64_t config, config1, config2;
	bool time;	   /* its unit is nanoseconds */
	bool branches;	   /* it counts (taken) branches: trace starts are unbiased */
	bool asynchronous; /* the kernel has no sigtrap (before Linux 5.13): signals by F_SETSIG */
	uint64_t default_period;
};

/*
 * @text is "auto"; a generic name (branches, instructions, cycles, task-clock, cpu-clock); a raw
 * event rHEX; or cpu/event=0xc4,umask=0x20/ or cpu/NAME/ as in /sys/bus/event_source/devices. A
 * modifier :u is accepted, others are refused: softlbr records user space only.
 */
int event_parse(const char *text, struct event *out, struct softlbr_error *e);

/* The best event that can be opened here: taken branches, branches, instructions, cycles,
 * task-clock. Falls back to task-clock without trying it. */
void event_choose(struct event *out);

/* Can the event be opened for this process, with a signal per overflow? 0, or errno. Finds out how
 * the signals are to come: event->asynchronous. */
int event_try(struct event *event);
/* Can a hardware breakpoint be had, with a signal per hit? 0, or errno. */
int event_try_breakpoint(bool asynchronous);
/* The signal that ends who opens an event, as a seccomp filter may have it; 0: none. @own is the
 * caller's (task_status_own), since a filter may also end who asks by prctl(2). */
int event_deadly_signal(const struct task_status *own);

/* Can a timer of a thread's processor time be had whose signal interrupts no system call? @own: as
 * above. */
bool event_timer_works(const struct task_status *own);

/* A period: a number, for time events with an optional unit (ns, us, ms, s). */
int event_parse_period(const char *text, const struct event *event, uint64_t *period,
		       struct softlbr_error *e);

/* The period of so many samples a second, for time events. */
int event_parse_frequency(const char *text, const struct event *event, uint64_t *period,
			  struct softlbr_error *e);

/* The attributes shared by every opening of the event: user space, one signal per overflow. */
static inline void event_attr(const struct event *event, uint64_t period,
			      struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = event->type,
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.sample_period = period,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sigtrap = !event->asynchronous,
		.remove_on_exec = !event->asynchronous,
	};
}

/* Of a sideband event's ring, behind its first page: half are some 200 loaded libraries. */
#define EVENT_SIDEBAND_PAGES 16u

/* A dummy event of one CPU, of a process and its descendants, which only tells of mappings (@data:
 * also those without code), names, forks and ends; its ring wakes who waits when it is half full.
 */
static inline void event_sideband_attr(bool data, size_t page_bytes, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		/* the fields of the trailer: those of our samples, but for the tag
		   (perfdata_write.h) */
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.mmap_data = data,
		.build_id = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(EVENT_SIDEBAND_PAGES * page_bytes / 2),
	};
}

/* Of thread @tid (0: the calling one), on @cpu (-1: any); -1 with errno. Not in handlers. */
int event_open(struct perf_event_attr *attr, pid_t tid, int cpu);

/* A breakpoint on the instruction at @address. */
static inline void event_breakpoint_attr(uintptr_t address, bool asynchronous,
					 struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = address,
		.bp_len = ISA_HOST_BREAKPOINT_BYTES,
		.sample_period = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sigtrap = !asynchronous,
		.remove_on_exec = !asynchronous,
	};
}

/* An asynchronous event's signals go to thread @tid, and are @number. */
static inline long event_announce(int fd, uint32_t tid, int number)
{
	struct f_owner_ex owner = {F_OWNER_TID, (pid_t)tid};
	long flags, rc;

	rc = syscall_3(SYS_fcntl, (uint64_t)fd, F_SETOWN_EX, (uintptr_t)&owner);
	if (!rc)
		rc = syscall_3(SYS_fcntl, (uint64_t)fd, F_SETSIG, (uint64_t)number);
	flags = rc ? rc : syscall_3(SYS_fcntl, (uint64_t)fd, F_GETFL, 0);
	if (flags < 0)
		return flags;
	return syscall_3(SYS_fcntl, (uint64_t)fd, F_SETFL, (uint64_t)flags | O_ASYNC);
}

/*
 * The same for events that a thread opens for itself. SIGTRAP here too, and no real-time signal:
 * those queue, and when the queue (RLIMIT_SIGPENDING) is full the kernel sends SIGIO instead, which
 * ends a program that does not know it. A standard signal is never queued twice: it does not
 * overflow, and comes without its information where the queue is full (fs/fcntl.c,
 * send_sigio_to_task; kernel/signal.c, __send_signal_locked).
 */
static inline long event_listen(int fd, uint32_t tid)
{
	return event_announce(fd, tid, SIGTRAP);
}

/* Is this how an asynchronous event's signal looks? @code and @pid are those of siginfo_t. */
static inline bool event_is_signal(int code, uint32_t pid)
{
	return code == SI_SIGIO || code == POLL_IN /* before Linux 4.17 */ ||
	       (code == SI_USER && !pid); /* the kernel's, without information */
}

/* How to sample by the event, at intervals of @mean. */
struct sampler_options event_sampler_options(const struct event *event, uint64_t mean,
					     uint64_t seed);
