/* SPDX-License-Identifier: MIT */
/*
 * Calls that send signals, as far as they send SIGTRAP to the program itself: then it matters to
 * the program (trap_mask.h). And while one of ours is pending in the calling thread, the kernel
 * would drop the program's.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/inside/life/trap_mask.h"
#include "collector/inside/life/trap_sent.h"

static const union sigval no_value;

#define NEXT(name, index) interposed_next(name, &interposed_libc.sends[index])

/* @pid as kill(2) has it: 0 and below are groups, perhaps ours. */
static bool is_own(pid_t pid)
{
	return pid <= 0 || (uint32_t)pid == handler_state.process.pid;
}

/* @to_itself: the calling thread */
static void begin(struct trap_mask_wait *w, bool to_itself, int code, union sigval value)
{
	trap_mask_matters(NULL);
	trap_mask_await_begin(w, NULL);
	if (to_itself && handler_state.process.pid && !process_is_refused(&handler_state.process))
		trap_sent_note(code, value);
}

EXPORT int raise(int number)
{
	int (*next)(int) = NEXT("raise", 0);
	struct trap_mask_wait w;
	int rc;

	if (number != SIGTRAP)
		return next(number);
	begin(&w, true, SI_TKILL, no_value);
	rc = next(number);
	trap_mask_wait_end(&w);
	return rc;
}

EXPORT int pthread_kill(pthread_t thread, int number)
{
	int (*next)(pthread_t, int) = NEXT("pthread_kill", 1);
	struct trap_mask_wait w;
	int rc;

	if (number != SIGTRAP)
		return next(thread, number);
	begin(&w, pthread_equal(thread, pthread_self()), SI_TKILL, no_value);
	rc = next(thread, number);
	trap_mask_wait_end(&w);
	return rc;
}

EXPORT int pthread_sigqueue(pthread_t thread, int number, const union sigval value)
{
	int (*next)(pthread_t, int, union sigval) = NEXT("pthread_sigqueue", 2);
	struct trap_mask_wait w;
	int rc;

	if (number != SIGTRAP)
		return next(thread, number, value);
	begin(&w, pthread_equal(thread, pthread_self()), SI_QUEUE, value);
	rc = next(thread, number, value);
	trap_mask_wait_end(&w);
	return rc;
}

EXPORT int tgkill(pid_t pid, pid_t tid, int number)
{
	int (*next)(pid_t, pid_t, int) = NEXT("tgkill", 3);
	struct trap_mask_wait w;
	int rc;

	if (number != SIGTRAP || !is_own(pid))
		return next(pid, tid, number);
	begin(&w, tid == gettid(), SI_TKILL, no_value);
	rc = next(pid, tid, number);
	trap_mask_wait_end(&w);
	return rc;
}

EXPORT int kill(pid_t pid, int number)
{
	int (*next)(pid_t, int) = NEXT("kill", 4);

	if (number == SIGTRAP && is_own(pid))
		trap_mask_matters(NULL);
	return next(pid, number);
}

EXPORT int killpg(pid_t group, int number)
{
	int (*next)(pid_t, int) = NEXT("killpg", 5);

	if (number == SIGTRAP)
		trap_mask_matters(NULL);
	return next(group, number);
}

EXPORT int sigqueue(pid_t pid, int number, const union sigval value)
{
	int (*next)(pid_t, int, union sigval) = NEXT("sigqueue", 6);

	if (number == SIGTRAP && is_own(pid))
		trap_mask_matters(NULL);
	return next(pid, number, value);
}
