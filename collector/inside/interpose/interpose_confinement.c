/* SPDX-License-Identifier: MIT */
/*
 * The calls by which a program confines itself, or has itself traced. syscall(2) is among them, as
 * some of these have no function in libc; whatever else goes through it passes straight on, with
 * six arguments, as in libc's.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "collector/inside/life/confinement.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/inside/interpose/kernel_action.h"
#include "collector/inside/life/trap_mask.h"
#include "collector/inside/life/trap_sent.h"
#include "collector/inside/life/process_life.h"
#include "collector/kernel/syscall.h"

static long result(long rc)
{
	if (rc >= 0 || rc < -4095)
		return rc;
	errno = (int)-rc;
	return -1;
}

/* The call's other arguments, from the second on; what it was not given is not looked at. */
static void take(uint64_t arguments[6], unsigned from, va_list rest)
{
	for (unsigned i = from; i < 6; i++)
		arguments[i] = va_arg(rest, uint64_t);
}

static long call(long number, const uint64_t arguments[6])
{
	return syscall_6(number, arguments[0], arguments[1], arguments[2], arguments[3],
			 arguments[4], arguments[5]);
}

/* Wherever to: only the program itself has claims to end. */
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
	if (tid == (uint64_t)syscall_3(SYS_gettid, 0, 0, 0) && handler_state.process.pid &&
	    !process_is_refused(&handler_state.process))
		trap_sent_note(SI_TKILL, (union sigval){0});
}

EXPORT long syscall(long number, ...)
{
	uint64_t arguments[6];
	va_list rest;
	long rc;

	va_start(rest, number);
	take(arguments, 0, rest);
	va_end(rest);
	own_pages_before(&handler_state.process.pages, number, arguments[1]);
	if (number == SYS_prctl || number == SYS_seccomp || number == SYS_ptrace ||
	    number == SYS_perf_event_open || number == SYS_prlimit64 || number == SYS_mlockall)
		confinement_before(number, arguments);
	if (sends_trap(number, arguments))
		trap_mask_matters(NULL);
	if (number == SYS_tgkill && sends_trap(number, arguments))
		note_sent(arguments[1]);
	if (number == SYS_rt_sigaction && kernel_action_set(arguments, &rc))
		return result(rc);
	rc = call(number, arguments);
	/* no slot of the processor's is left: ours may be what lacks */
	if (number == SYS_perf_event_open && rc == -ENOSPC && process_give_up_breakpoints())
		rc = call(number, arguments);
	if ((number == SYS_ptrace || number == SYS_mlockall) && rc >= 0)
		confinement_after(number, arguments);
	return result(rc);
}

EXPORT int prctl(int option, ...)
{
	uint64_t arguments[6] = {(uint64_t)option};
	va_list rest;

	va_start(rest, option);
	take(arguments, 1, rest);
	va_end(rest);
	confinement_before(SYS_prctl, arguments);
	return (int)result(call(SYS_prctl, arguments));
}

EXPORT long ptrace(enum __ptrace_request request, ...)
{
	long (*next)(enum __ptrace_request, ...) = interposed_next("ptrace",
								   &interposed_libc.ptrace);
	uint64_t arguments[6] = {(uint64_t)request};
	va_list rest;
	long rc;

	va_start(rest, request);
	take(arguments, 1, rest);
	va_end(rest);
	confinement_before(SYS_ptrace, arguments);
	rc = next(request, arguments[1], arguments[2], arguments[3]);
	if (rc >= 0)
		confinement_after(SYS_ptrace, arguments);
	return rc;
}
