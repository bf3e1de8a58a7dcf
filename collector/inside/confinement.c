/* SPDX-License-Identifier: MIT */
#include "collector/inside/confinement.h"

#include <asm/prctl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "collector/inside/handler_state.h"
#include "collector/inside/other_process.h"
#include "collector/session/syscall.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

/* unshare(CLONE_VM) does nothing but fail where another process shares the memory. */
static bool memory_is_shared(void)
{
	return syscall_3(SYS_unshare, CLONE_VM, 0, 0) != 0;
}

/*
 * The child of a vfork has our memory, whose recording is its parent's; events it has none. That of
 * a fork by a bare system call has a copy, in which nobody has told us: nothing to leave either.
 */
static bool is_other_process(struct process *p)
{
	if (!p->pid || (uint32_t)syscall_3(SYS_getpid, 0, 0, 0) == p->pid)
		return false;
	if (memory_is_shared())
		return true;
	p->pid = 0;
	return false;
}

void confinement_begin(enum refusal reason)
{
	struct process *p = &handler_state.process;

	if (reason == REFUSAL_SECCOMP)
		exec_guard_filter_comes(&handler_state.execs);
	if (process_is_refused(p) || !is_other_process(p))
		process_refuse(reason);
}

/* Without a pointer to it there is no filter: the call asks what the kernel can do (seccomp(2)). */
static bool sets_filter(uint64_t mode, uint64_t filter)
{
	return mode == SECCOMP_MODE_STRICT || (mode == SECCOMP_MODE_FILTER && filter);
}

static enum refusal of_prctl(uint64_t option, uint64_t a, uint64_t b)
{
	switch (option) {
	case PR_SET_SECCOMP:
		return sets_filter(a, b) ? REFUSAL_SECCOMP : REFUSAL_NONE;
	case PR_SET_SYSCALL_USER_DISPATCH:
		return a ? REFUSAL_DISPATCH : REFUSAL_NONE;
	case PR_SET_TSC: /* our handler reads it */
		return a == PR_TSC_SIGSEGV ? REFUSAL_CLOCK : REFUSAL_NONE;
	}
	return REFUSAL_NONE;
}

/* Look-ahead reads the program's memory, but never writes it. The attributes are at @address, if
 * that is one: the kernel is to judge. */
static bool watches_reads(uint64_t address)
{
	struct perf_event_attr attr = {0};
	struct iovec local = {&attr, PERF_ATTR_SIZE_VER0};
	struct iovec remote = {(void *)(uintptr_t)address, PERF_ATTR_SIZE_VER0};

	return !process_is_refused(&handler_state.process) &&
	       syscall_6(SYS_process_vm_readv, (uint64_t)syscall_3(SYS_getpid, 0, 0, 0),
			 (uintptr_t)&local, 1, (uintptr_t)&remote, 1, 0) == PERF_ATTR_SIZE_VER0 &&
	       attr.type == PERF_TYPE_BREAKPOINT && attr.bp_type & HW_BREAKPOINT_R;
}

/* A filter may be there: it is not asked about calls that are not the program's. */
static bool is_filtered(const struct process *p)
{
	return atomic_read_acquire(&p->refused) & 1u << REFUSAL_SECCOMP;
}

static void silence_tracee(const uint64_t arguments[6])
{
	const struct process *p = &handler_state.process;

	if ((arguments[0] == PTRACE_ATTACH || arguments[0] == PTRACE_SEIZE) && !is_filtered(p))
		other_process_silence(p, (uint32_t)arguments[1]);
}

void confinement_before(long number, const uint64_t arguments[6])
{
	uint64_t a = arguments[0];
	enum refusal reason = REFUSAL_NONE;

	switch (number) {
	case SYS_prctl:
		reason = of_prctl(a, arguments[1], arguments[2]);
		break;
	case SYS_seccomp:
		if (a == SECCOMP_SET_MODE_STRICT || (a == SECCOMP_SET_MODE_FILTER && arguments[2]))
			reason = REFUSAL_SECCOMP;
		break;
	case SYS_perf_event_open:
		if (watches_reads(a))
			reason = REFUSAL_WATCHED;
		break;
	case SYS_ptrace:
		if (a == PTRACE_TRACEME)
			reason = REFUSAL_TRACED;
		else
			silence_tracee(arguments);
		break;
	}
	if (reason != REFUSAL_NONE)
		confinement_begin(reason);
}

void confinement_after(long number, const uint64_t arguments[6])
{
	/* the child of a fork that was not in the session yet */
	if (number == SYS_ptrace)
		silence_tracee(arguments);
}
