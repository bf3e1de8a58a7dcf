/* SPDX-License-Identifier: MIT */
#include "collector/inside/pending_trap.h"

#include <stddef.h>
#include <time.h>

#include "collector/inside/handler_state.h"
#include "collector/session/event.h"
#include "collector/session/syscall.h"

/* By kill, sigqueue (or pthread_sigqueue, which can't be told from it) and timers: any thread may
 * take it. */
static bool is_for_process(const siginfo_t *info)
{
	return info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TIMER;
}

void pending_trap_send_again(const siginfo_t *info)
{
	uint64_t pid = (uint64_t)syscall_3(SYS_getpid, 0, 0, 0);
	uint64_t tid = (uint64_t)syscall_3(SYS_gettid, 0, 0, 0);
	uint64_t trap = PENDING_TRAP_BIT;
	long rc = -1;

	syscall_6(SYS_rt_sigprocmask, SIG_BLOCK, (uintptr_t)&trap, 0, sizeof(trap), 0, 0);
	if (is_for_process(info)) {
		rc = syscall_3(SYS_rt_sigqueueinfo, pid, SIGTRAP, (uintptr_t)info);
		/* only the first thread may send it as kill does (kernel/signal.c,
		 * do_rt_sigqueueinfo) */
		if (rc && info->si_code == SI_USER)
			rc = syscall_3(SYS_kill, pid, SIGTRAP, 0);
	}
	if (rc)
		rc = syscall_6(SYS_rt_tgsigqueueinfo, pid, tid, SIGTRAP, (uintptr_t)info, 0, 0);
	if (rc)
		syscall_3(SYS_tgkill, pid, tid, SIGTRAP);
}

static bool is_ours(const siginfo_t *info)
{
	const struct pending_trap_perf *perf = (const void *)info;

	if (handler_state.process.options.event.asynchronous)
		return event_is_signal(perf->code, (uint32_t)perf->address);
	return perf->code == PENDING_TRAP_PERF &&
	       thread_is_slot(&handler_state.process,
			      (const void *)(uintptr_t)(perf->data & ~(uint64_t)1));
}

static bool take(siginfo_t *info)
{
	uint64_t trap = PENDING_TRAP_BIT;
	struct timespec now = {0};

	return syscall_6(SYS_rt_sigtimedwait, (uintptr_t)&trap, (uintptr_t)info, (uintptr_t)&now,
			 sizeof(trap), 0, 0) == SIGTRAP;
}

void pending_trap_drop_ours(void)
{
	siginfo_t info;

	/* ours is the thread's, and comes first */
	while (take(&info))
		if (!is_ours(&info)) {
			pending_trap_send_again(&info);
			return;
		}
}

unsigned pending_trap_take(siginfo_t out[2])
{
	unsigned count = 0;
	uint64_t pending = 0;

	/* not what comes now and is not blocked */
	syscall_3(SYS_rt_sigpending, (uintptr_t)&pending, sizeof(pending), 0);
	if (!(pending & PENDING_TRAP_BIT))
		return 0;
	while (count < 2 && take(&out[count]))
		count += !is_ours(&out[count]);
	return count;
}
