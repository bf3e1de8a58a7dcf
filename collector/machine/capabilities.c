/* SPDX-License-Identifier: MIT */
#include "collector/machine/capabilities.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "collector/kernel/clock.h"
#include "isa/host.h"

#define SAMPLE_MS	 20
#define BREAKPOINT_CALLS 200
#define MANY_SLOTS	 16
#define CAP_SYS_PTRACE	 19
#define CAP_SYS_ADMIN	 21
#define CAP_PERFMON	 38
#define TRAP_CODE_PERF	 6 /* TRAP_PERF of <bits/siginfo-consts.h>, absent from old headers */

/* Written by the handler; set to 0 before what is counted. */
static volatile sig_atomic_t trap_count;
/* The breakpoint that is hit, or -1: where a thread does not pass it, it is off until the next
 * call.
 */
static volatile sig_atomic_t breakpoint_hit = -1;

static void switch_breakpoint(unsigned long request)
{
	if (!ISA_HOST_PASSES_BREAKPOINT && breakpoint_hit >= 0)
		ioctl(breakpoint_hit, request, 0);
}

static void count_trap(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (info->si_code == TRAP_CODE_PERF ||
	    event_is_signal(info->si_code, (uint32_t)info->si_pid))
		trap_count = trap_count + 1;
	switch_breakpoint(PERF_EVENT_IOC_DISABLE);
}

static long listen_to(int fd)
{
	return event_listen(fd, syscall_tid());
}

/* Work that no compiler removes: @n rounds of a loop with one taken branch each. */
static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		__asm__ volatile("" ::"r"(i));
}

static void burn_ms(unsigned ms)
{
	uint64_t end = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ms * 1000000;

	while (clock_handler_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		work(1000);
}

/* ---- settings ------------------------------------------------------------------------------ */

static int number_in_file(const char *path)
{
	FILE *file = fopen(path, "re");
	int number = CAPABILITIES_UNKNOWN;

	if (!file)
		return CAPABILITIES_UNKNOWN;
	if (fscanf(file, "%d", &number) != 1)
		number = CAPABILITIES_UNKNOWN;
	fclose(file);
	return number;
}

static void read_status(struct capabilities *p)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long effective;
	char line[256];

	p->seccomp_mode = CAPABILITIES_UNKNOWN;
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		sscanf(line, "Seccomp: %d", &p->seccomp_mode);
		if (sscanf(line, "CapEff: %llx", &effective) != 1)
			continue;
		p->cap_perfmon = effective >> CAP_PERFMON & 1 || effective >> CAP_SYS_ADMIN & 1;
		p->cap_ptrace = effective >> CAP_SYS_PTRACE & 1;
	}
	fclose(file);
}

static void read_settings(struct capabilities *p)
{
	struct utsname name;
	struct rlimit limit;

	if (uname(&name) == 0) {
		snprintf(p->kernel, sizeof(p->kernel), "%s", name.release);
		snprintf(p->machine, sizeof(p->machine), "%s", name.machine);
		sscanf(p->kernel, "%d.%d", &p->kernel_major, &p->kernel_minor);
	}
	p->paranoid = number_in_file("/proc/sys/kernel/perf_event_paranoid");
	p->ptrace_scope = number_in_file("/proc/sys/kernel/yama/ptrace_scope");
	read_status(p);
	p->memlock_bytes = UINT64_MAX;
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		p->memlock_bytes = limit.rlim_cur;
}

/* ---- sampling ------------------------------------------------------------------------------ */

static void try_sampling(struct capabilities *p)
{
	struct perf_event_attr attr;
	struct softlbr_error e = {0};
	struct event clock;
	int fd;

	if (event_parse("task-clock", &clock, &e)) {
		p->sampling_error = ENOTSUP;
		return;
	}
	p->sampling_error = event_try(&clock);
	p->asynchronous = clock.asynchronous;
	if (p->sampling_error)
		return;
	event_attr(&clock, 1000000, &attr);
	fd = event_open(&attr, 0, -1);
	if (fd < 0 || (p->asynchronous && listen_to(fd))) {
		p->sampling_error = errno;
		return;
	}
	trap_count = 0;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	burn_ms(SAMPLE_MS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	close(fd);
	p->sample_count = (unsigned)trap_count;
	p->sample_ms = SAMPLE_MS;
}

static void try_event(struct capabilities_event *probed)
{
	struct perf_event_attr attr;
	struct softlbr_error e = {0};
	struct event event;
	int fd;

	if (event_parse(probed->name, &event, &e)) {
		probed->error = ENOENT;
		return;
	}
	probed->error = event_try(&event);
	if (probed->error)
		return;
	event_attr(&event, 0, &attr);
	attr.sigtrap = 0;
	fd = event_open(&attr, 0, -1);
	if (fd < 0) {
		probed->error = errno;
		return;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	burn_ms(2);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &probed->count, sizeof(probed->count)) != sizeof(probed->count))
		probed->count = 0;
	close(fd);
}

static int try_branch_stack(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = event_open(&attr, 0, -1);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* ---- breakpoints --------------------------------------------------------------------------- */

static __attribute__((noinline)) void breakpoint_target(void)
{
	__asm__ volatile("");
}

static int open_breakpoint(const struct capabilities *p, uintptr_t address)
{
	struct perf_event_attr attr;
	int fd;

	event_breakpoint_attr(address, p->asynchronous, &attr);
	fd = event_open(&attr, 0, -1);
	if (fd >= 0 && p->asynchronous)
		listen_to(fd);
	return fd;
}

static uint64_t call_target_ns(void)
{
	uint64_t start = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);

	for (unsigned i = 0; i < BREAKPOINT_CALLS; i++) {
		switch_breakpoint(PERF_EVENT_IOC_ENABLE);
		breakpoint_target();
	}
	return clock_handler_ns(CLOCK_THREAD_CPUTIME_ID) - start;
}

/* Each slot gets an address of its own, since a kernel may count equal ones once. */
static unsigned count_slots(const struct capabilities *p)
{
	int fds[MANY_SLOTS];
	unsigned n = 0;

	while (n < MANY_SLOTS) {
		fds[n] = open_breakpoint(p, (uintptr_t)breakpoint_target + 16 * n);
		if (fds[n] < 0)
			break;
		n++;
	}
	for (unsigned i = 0; i < n; i++)
		close(fds[i]);
	return n;
}

static void try_breakpoint(struct capabilities *p)
{
	uint64_t plain = call_target_ns(), stopped;
	int fd = open_breakpoint(p, (uintptr_t)breakpoint_target);

	p->breakpoint_calls = BREAKPOINT_CALLS;
	if (fd < 0) {
		p->breakpoint_error = errno;
		return;
	}
	trap_count = 0;
	breakpoint_hit = fd;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	stopped = call_target_ns();
	breakpoint_hit = -1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	close(fd);
	p->breakpoint_hits = (unsigned)trap_count;
	if (p->breakpoint_hits && stopped > plain)
		p->stop_us = (double)(stopped - plain) / p->breakpoint_hits / 1000;
	p->breakpoint_slots = count_slots(p);
}

void capabilities_probe(struct capabilities *p, int (*attach)(bool *hit))
{
	static const char *const names[CAPABILITIES_EVENTS] = {"branches", "instructions", "cycles",
							       "task-clock"};
	struct sigaction ours = {.sa_sigaction = count_trap, .sa_flags = SA_SIGINFO}, old;
	struct task_status own;

	memset(p, 0, sizeof(*p));
	p->times_lines = ISA_LINES_ARE_TIMED;
	read_settings(p);
	p->ptrace_error = attach(&p->attach_hit);
	task_status_filters(&own);
	p->syscall_signal = event_deadly_signal(&own);
	if (p->syscall_signal) {
		p->sampling_error = p->breakpoint_error = p->branch_stack_error = EPERM;
		for (unsigned i = 0; i < CAPABILITIES_EVENTS; i++)
			p->events[i] = (struct capabilities_event){names[i], EPERM, 0};
		return;
	}
	sigaction(SIGTRAP, &ours, &old);
	try_sampling(p);
	try_breakpoint(p);
	for (unsigned i = 0; i < CAPABILITIES_EVENTS; i++) {
		p->events[i].name = names[i];
		try_event(&p->events[i]);
	}
	p->branch_stack_error = try_branch_stack();
	event_choose(&p->chosen);
	sigaction(SIGTRAP, &old, NULL);
}

bool capabilities_is_own_machine(const struct capabilities *p)
{
	return strcmp(p->machine, ISA_HOST_NAME) == 0;
}

bool capabilities_can_preload(const struct capabilities *p)
{
	return !p->syscall_signal && !p->sampling_error && p->sample_count > 0 &&
	       !p->breakpoint_error && p->breakpoint_hits == p->breakpoint_calls &&
	       capabilities_is_own_machine(p);
}

bool capabilities_can_attach(const struct capabilities *p)
{
	return !p->ptrace_error && p->attach_hit && capabilities_is_own_machine(p);
}
