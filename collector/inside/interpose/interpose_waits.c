/* SPDX-License-Identifier: MIT */
/* Calls that wait for signals, or with another signal mask, as far as SIGTRAP is concerned
 * (trap_mask.h). */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <time.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/inside/life/trap_mask.h"

#define NEXT(name, index) interposed_next(name, &interposed_libc.waits[index])

EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
	int (*next)(const sigset_t *, int *) = NEXT("sigwait", 0);
	struct trap_mask_wait w;
	int rc;

	trap_mask_matters(set);
	trap_mask_await_begin(&w, set);
	rc = next(set, number);
	trap_mask_wait_end(&w);
	return rc;
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	int (*next)(const sigset_t *, siginfo_t *) = NEXT("sigwaitinfo", 1);
	struct trap_mask_wait w;
	int rc;

	trap_mask_matters(set);
	trap_mask_await_begin(&w, set);
	rc = next(set, info);
	trap_mask_wait_end(&w);
	return rc;
}

EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
			const struct timespec *restrict timeout)
{
	int (*next)(const sigset_t *, siginfo_t *, const struct timespec *) = NEXT("sigtimedwait",
										   2);
	struct trap_mask_wait w;
	int rc;

	trap_mask_matters(set);
	trap_mask_await_begin(&w, set);
	rc = next(set, info, timeout);
	trap_mask_wait_end(&w);
	return rc;
}

EXPORT int sigpending(sigset_t *set)
{
	int (*next)(sigset_t *) = NEXT("sigpending", 3);
	struct trap_mask_wait w;
	int rc;

	trap_mask_await_begin(&w, NULL);
	rc = next(set);
	trap_mask_wait_end(&w);
	return rc;
}

EXPORT int sigsuspend(const sigset_t *mask)
{
	int (*next)(const sigset_t *) = NEXT("sigsuspend", 4);
	struct trap_mask_wait w;
	int rc;

	trap_mask_wait_begin(&w, mask);
	rc = next(mask);
	trap_mask_wait_end(&w);
	return rc;
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		 const sigset_t *mask)
{
	int (*next)(struct pollfd *, nfds_t, const struct timespec *,
		    const sigset_t *) = NEXT("ppoll", 5);
	struct trap_mask_wait w;
	int rc;

	trap_mask_wait_begin(&w, mask);
	rc = next(fds, count, timeout, mask);
	trap_mask_wait_end(&w);
	return rc;
}

EXPORT int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
		   const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
	int (*next)(int, fd_set *, fd_set *, fd_set *, const struct timespec *,
		    const sigset_t *) = NEXT("pselect", 6);
	struct trap_mask_wait w;
	int rc;

	trap_mask_wait_begin(&w, mask);
	rc = next(count, in, out, except, timeout, mask);
	trap_mask_wait_end(&w);
	return rc;
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int most, int timeout,
		       const sigset_t *mask)
{
	int (*next)(int, struct epoll_event *, int, int, const sigset_t *) = NEXT("epoll_pwait", 7);
	struct trap_mask_wait w;
	int rc;

	trap_mask_wait_begin(&w, mask);
	rc = next(fd, events, most, timeout, mask);
	trap_mask_wait_end(&w);
	return rc;
}

/* Where libc has none, the program can't call it. */
EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int most,
			const struct timespec *timeout, const sigset_t *mask)
{
	int (*next)(int, struct epoll_event *, int, const struct timespec *,
		    const sigset_t *) = NEXT("epoll_pwait2", 8);
	struct trap_mask_wait w;
	int rc;

	trap_mask_wait_begin(&w, mask);
	rc = next(fd, events, most, timeout, mask);
	trap_mask_wait_end(&w);
	return rc;
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	int (*next)(int, const sigset_t *, int) = NEXT("signalfd", 9);

	trap_mask_matters(set);
	return next(fd, set, flags);
}
