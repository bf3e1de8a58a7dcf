/* SPDX-License-Identifier: MIT */
/*
 * The calls by which a program sandboxes itself, or has itself traced. syscall(2) is among them, as
 * some of these have no function in libc; whatever else goes through it passes straight on, with
 * six arguments, as in libc's.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>
#include <string.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/inside/life/exclusion_checks.h"
#include "collector/inside/life/process_life.h"
#include "collector/inside/life/trap_mask.h"
#include "collector/kernel/syscall.h"
#include "collector/inside/life/trap_action.h"
#include "collector/shared/trusted.h"

/* The call's other arguments, from the second on; what it was not given is not looked at. */
static void take_rest(uint64_t arguments[6], unsigned from, va_list rest)
{
	for (unsigned i = from; i < 6; i++)
		arguments[i] = va_arg(rest, uint64_t);
}

static long pass_call(long number, const uint64_t arguments[6])
{
	return syscall_6(number, arguments[0], arguments[1], arguments[2], arguments[3],
			 arguments[4], arguments[5]);
}

/* Wherever to: only the program itself has virtual masks to end. */
static bool sends_trap(long number, const uint64_t arguments[6])
{
	switch (number) {
	case SYS_kill:
	case SYS_tkill:
	case SYS_rt_sigqueueinfo:
		return arguments[1] == SIGTRAP;
	case SYS_tgkill:
	case SYS_rt_tgsigqueueinfo:
		return arguments[2] == SIGTRAP;
	}
	return false;
}

static void note_sent(uint64_t tid)
{
	if (tid == syscall_tid() && handler_state.process.pid &&
	    !process_is_excluded(&handler_state.process))
		trap_sent_note(SI_TKILL, (union sigval){0});
}

static struct sigaction to_libc(const struct kernel_sigaction *from)
{
	struct sigaction action = {.sa_sigaction = from->handler,
				   .sa_flags = (int)from->flags,
				   .sa_restorer = from->restorer};

	memcpy(&action.sa_mask, &from->mask, sizeof(from->mask));
	return action;
}

static struct kernel_sigaction from_libc(const struct sigaction *from)
{
	struct kernel_sigaction action = {.handler = from->sa_sigaction,
					  .flags = (unsigned)from->sa_flags,
					  .restorer = from->sa_restorer};

	memcpy(&action.mask, &from->sa_mask, sizeof(action.mask));
	return action;
}

/* A signal_wrap_sigaction_call, but for errno: the error is returned. */
static int pass_to_kernel(int number, const struct sigaction *new_action,
			  struct sigaction *old_action)
{
	struct kernel_sigaction wanted, was = {0};
	long rc;

	if (new_action)
		wanted = from_libc(new_action);
	rc = syscall_6(SYS_rt_sigaction, (uint64_t)number, new_action ? (uintptr_t)&wanted : 0,
		       (uintptr_t)&was, sizeof(was.mask), 0, 0);
	if (!rc && old_action)
		*old_action = to_libc(&was);
	return (int)rc;
}

/* rt_sigaction(2) for SIGTRAP by syscall(2), in the kernel's struct, as the program should see it:
 * programs that bring their own table of signals do so (Chromium, in the children that it forks).
 * *rc is what the kernel would return. False: it is none of our business, and to be passed on. */
static bool set_kernel_action(const uint64_t arguments[6], long *rc)
{
	const void *new_at = (const void *)(uintptr_t)arguments[1];
	void *old_at = (void *)(uintptr_t)arguments[2];
	struct kernel_sigaction wanted, was;
	struct sigaction new_action, old_action;

	if ((int)arguments[0] != SIGTRAP || arguments[3] != sizeof(wanted.mask) ||
	    !handler_state.process.pid || process_is_excluded(&handler_state.process))
		return false;
	if (new_at) {
		if (!trusted_bytes_read(&wanted, new_at, sizeof(wanted)))
			return false; /* EFAULT */
		new_action = to_libc(&wanted);
	}
	*rc = trap_program_set(pass_to_kernel, new_at ? &new_action : NULL, &old_action);
	if (*rc || !old_at)
		return true;
	was = from_libc(&old_action);
	if (!trusted_bytes_write(old_at, &was, sizeof(was)))
		*rc = -EFAULT; /* but set */
	return true;
}

/* Some are for processes with one thread. */
static void before_namespaces(void)
{
	struct process *p = &handler_state.process;

	if (!process_is_excluded(p) && handler_state_is_own())
		late_clock_retire(p);
}

EXPORT long syscall(long number, ...)
{
	uint64_t arguments[6];
	va_list rest;
	long rc;

	va_start(rest, number);
	take_rest(arguments, 0, rest);
	va_end(rest);
	own_pages_before(&handler_state.process.pages, number, arguments[1]);
	if (number == SYS_prctl || number == SYS_seccomp || number == SYS_ptrace ||
	    number == SYS_perf_event_open || number == SYS_prlimit64 || number == SYS_mlockall)
		sandboxing_before(number, arguments);
	if (number == SYS_unshare || number == SYS_setns)
		before_namespaces();
	if (sends_trap(number, arguments))
		process_trap_matters(NULL);
	if (number == SYS_tgkill && sends_trap(number, arguments))
		note_sent(arguments[1]);
	if (number == SYS_rt_sigaction && set_kernel_action(arguments, &rc))
		return interposed_result(rc);
	rc = pass_call(number, arguments);
	/* no slot of the processor's is left: ours may be what lacks */
	if (number == SYS_perf_event_open && rc == -ENOSPC && process_give_up_breakpoints())
		rc = pass_call(number, arguments);
	if ((number == SYS_ptrace || number == SYS_mlockall) && rc >= 0)
		sandboxing_after(number, arguments);
	return interposed_result(rc);
}

EXPORT int prctl(int option, ...)
{
	uint64_t arguments[6] = {(uint64_t)option};
	va_list rest;

	va_start(rest, option);
	take_rest(arguments, 1, rest);
	va_end(rest);
	sandboxing_before(SYS_prctl, arguments);
	return (int)interposed_result(pass_call(SYS_prctl, arguments));
}

EXPORT long ptrace(enum __ptrace_request request, ...)
{
	uint64_t arguments[6] = {(uint64_t)request};
	va_list rest;
	long rc;

	va_start(rest, request);
	take_rest(arguments, 1, rest);
	va_end(rest);
	sandboxing_before(SYS_ptrace, arguments);
	rc = NEXT(ptrace)(request, arguments[1], arguments[2], arguments[3]);
	if (rc >= 0)
		sandboxing_after(SYS_ptrace, arguments);
	return rc;
}

EXPORT int unshare(int flags)
{
	before_namespaces();
	return (int)interposed_result(syscall_3(SYS_unshare, (uint64_t)flags, 0, 0));
}

EXPORT int setns(int fd, int kind)
{
	before_namespaces();
	return (int)interposed_result(syscall_3(SYS_setns, (uint64_t)fd, (uint64_t)kind, 0));
}

/* ---- limits ---------------------------------------------------------------------------------- */

static int exchange(pid_t pid, unsigned resource, const void *limit, void *before)
{
	const uint64_t arguments[6] = {(uint64_t)pid, resource, (uintptr_t)limit,
				       (uintptr_t)before};

	sandboxing_before(SYS_prlimit64, arguments);
	return (int)interposed_result(syscall_6(SYS_prlimit64, arguments[0], arguments[1],
						arguments[2], arguments[3], 0, 0));
}

EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	return exchange(0, resource, limit, NULL);
}

EXPORT int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
	return exchange(0, resource, limit, NULL);
}

EXPORT int prlimit(pid_t pid, enum __rlimit_resource resource, const struct rlimit *limit,
		   struct rlimit *before)
{
	return exchange(pid, resource, limit, before);
}

EXPORT int prlimit64(pid_t pid, enum __rlimit_resource resource, const struct rlimit64 *limit,
		     struct rlimit64 *before)
{
	return exchange(pid, resource, limit, before);
}

/* Its limit counts all that is mapped, ours too. */
EXPORT int mlockall(int flags)
{
	const uint64_t arguments[6] = {(uint64_t)flags};
	long rc;

	sandboxing_before(SYS_mlockall, arguments);
	rc = syscall_3(SYS_mlockall, arguments[0], 0, 0);
	if (rc >= 0)
		sandboxing_after(SYS_mlockall, arguments);
	return (int)interposed_result(rc);
}
