/* SPDX-License-Identifier: MIT */
/* Calls that wait for signals, or with another signal mask, as far as SIGTRAP is concerned
 * (trap_mask.h). */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <time.h>

#include "collector/inside/interpose/interposed.h"
#include "collector/inside/life/trap_mask.h"

/* libc's @call, which waits with what @begin does for @signals: a set, or a mask. */
#define WAIT(begin, signals, call)          \
	__extension__({                     \
		struct trap_mask_wait wait; \
		int rc;                     \
                                            \
		begin(&wait, signals);      \
		rc = call;                  \
		trap_mask_wait_end(&wait);  \
		rc;                         \
	})

EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
	trap_mask_matters(set);
	return WAIT(trap_mask_await_begin, set, NEXT(sigwait)(set, number));
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
	trap_mask_matters(set);
	return WAIT(trap_mask_await_begin, set, NEXT(sigwaitinfo)(set, info));
}

EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
			const struct timespec *restrict timeout)
{
	trap_mask_matters(set);
	return WAIT(trap_mask_await_begin, set, NEXT(sigtimedwait)(set, info, timeout));
}

EXPORT int sigpending(sigset_t *set)
{
	return WAIT(trap_mask_await_begin, NULL, NEXT(sigpending)(set));
}

EXPORT int sigsuspend(const sigset_t *mask)
{
	return WAIT(trap_mask_wait_begin, mask, NEXT(sigsuspend)(mask));
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
		 const sigset_t *mask)
{
	return WAIT(trap_mask_wait_begin, mask, NEXT(ppoll)(fds, count, timeout, mask));
}

EXPORT int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict except,
		   const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
	return WAIT(trap_mask_wait_begin, mask,
		    NEXT(pselect)(count, in, out, except, timeout, mask));
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int most, int timeout,
		       const sigset_t *mask)
{
	return WAIT(trap_mask_wait_begin, mask, NEXT(epoll_pwait)(fd, events, most, timeout, mask));
}

/* Where libc has none, the program can't call it. */
EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int most,
			const struct timespec *timeout, const sigset_t *mask)
{
	return WAIT(trap_mask_wait_begin, mask,
		    NEXT(epoll_pwait2)(fd, events, most, timeout, mask));
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	trap_mask_matters(set);
	return NEXT(signalfd)(fd, set, flags);
}
