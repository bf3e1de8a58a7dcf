/* SPDX-License-Identifier: MIT */
/*
 * The calls through which a program meets descriptors that it did not open: those that close what
 * they find, take a number by force, or ask whether it is in use. For them ours do not exist. In
 * the child of a vfork, which has our memory but copies of the descriptors, they do what they say.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "collector/inside/handler/descriptors.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/inside/life/exclusion_checks.h"
#include "collector/inside/life/process_life.h"
#include "collector/kernel/syscall.h"

static bool in_this_process(void)
{
	/* without one of ours there is nothing to ask */
	return !process_is_excluded(&handler_state.process) && handler_state_is_own();
}

static bool is_hidden(int fd)
{
	return descriptors_contain(fd) && in_this_process();
}

static int refuse(int why)
{
	errno = why;
	return -1;
}

EXPORT int close(int fd)
{
	return is_hidden(fd) ? refuse(EBADF) : NEXT(close)(fd);
}

/* The ranges between ours. */
static long close_others(unsigned first, unsigned last, int flags)
{
	long rc = 0;
	int kept;

	while (!rc && first <= INT_MAX && (kept = descriptors_next((int)first, last)) >= 0) {
		if ((unsigned)kept > first)
			rc = syscall_3(SYS_close_range, first, (unsigned)kept - 1, (uint64_t)flags);
		first = (unsigned)kept + 1;
	}
	return rc || first > last ? rc : syscall_3(SYS_close_range, first, last, (uint64_t)flags);
}

EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	/* closing at exec is what ours have anyway */
	if (first > last || flags & CLOSE_RANGE_CLOEXEC || !in_this_process())
		return (int)interposed_result(
			syscall_3(SYS_close_range, first, last, (uint64_t)flags));
	return (int)interposed_result(close_others(first, last, flags));
}

EXPORT void closefrom(int low)
{
	if (in_this_process())
		close_others(low < 0 ? 0 : (unsigned)low, UINT_MAX, 0);
	else
		NEXT(closefrom)(low);
}

/* The program wants the number for itself: ours moves. */
static void make_way(int wanted)
{
	if (is_hidden(wanted))
		process_move_descriptor(wanted);
}

/* A call that opens has failed: is that for a number that is one of ours? Then the process is left,
 * and may be asked again. */
static bool give_back(void)
{
	int why = errno;
	struct rlimit limit;

	if (why != EMFILE || !in_this_process() ||
	    syscall_3(SYS_getrlimit, RLIMIT_NOFILE, (uintptr_t)&limit, 0) || !limit.rlim_cur ||
	    descriptors_next(0, (unsigned)limit.rlim_cur - 1) < 0)
		return false;
	sandboxing_begin(EXCLUSION_DESCRIPTORS);
	errno = why;
	return true;
}

EXPORT int dup(int old)
{
	int fd;

	if (is_hidden(old))
		return refuse(EBADF);
	fd = (int)interposed_result(syscall_3(SYS_dup, (uint64_t)old, 0, 0));
	return fd < 0 && give_back()
		       ? (int)interposed_result(syscall_3(SYS_dup, (uint64_t)old, 0, 0))
		       : fd;
}

EXPORT int dup2(int old, int wanted)
{
	if (is_hidden(old))
		return refuse(EBADF);
	make_way(wanted);
	return (int)interposed_result(syscall_dup2(old, wanted));
}

EXPORT int dup3(int old, int wanted, int flags)
{
	if (is_hidden(old))
		return refuse(EBADF);
	make_way(wanted);
	return (int)interposed_result(
		syscall_3(SYS_dup3, (uint64_t)old, (uint64_t)wanted, (uint64_t)flags));
}

EXPORT int fcntl(int fd, int command, ...)
{
	void *argument;
	va_list arguments;
	int rc;

	va_start(arguments, command);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	if (is_hidden(fd))
		return refuse(EBADF);
	rc = NEXT(fcntl)(fd, command, argument);
	return rc < 0 && give_back() ? NEXT(fcntl)(fd, command, argument) : rc;
}

EXPORT int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));

EXPORT int fstat(int fd, struct stat *out)
{
	return is_hidden(fd) ? refuse(EBADF) : NEXT(fstat)(fd, out);
}

EXPORT int fstat64(int fd, struct stat64 *out) __attribute__((alias("fstat")));

/* What programs built before glibc 2.33 call. */
int __fxstat(int version, int fd, struct stat *out);
int __fxstat64(int version, int fd, struct stat64 *out);

EXPORT int __fxstat(int version, int fd, struct stat *out)
{
	return is_hidden(fd) ? refuse(EBADF) : NEXT(__fxstat)(version, fd, out);
}

EXPORT int __fxstat64(int version, int fd, struct stat64 *out) __attribute__((alias("__fxstat")));

/* ---- those that open ----------------------------------------------------------------------- */

#define OPENS(type, name, failed, parameters, ...)                                           \
	EXPORT type name parameters                                                          \
	{                                                                                    \
		type opened = NEXT(name)(__VA_ARGS__);                                       \
                                                                                             \
		return opened == (failed) && give_back() ? NEXT(name)(__VA_ARGS__) : opened; \
	}

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);

OPENS(int, __open_2, -1, (const char *path, int flags), path, flags)
OPENS(int, __openat_2, -1, (int directory, const char *path, int flags), directory, path, flags)
OPENS(int, accept, -1, (int fd, struct sockaddr *address, socklen_t *bytes), fd, address, bytes)
OPENS(int, accept4, -1, (int fd, struct sockaddr *address, socklen_t *bytes, int flags), fd,
      address, bytes, flags)
OPENS(int, epoll_create1, -1, (int flags), flags)
OPENS(int, eventfd, -1, (unsigned value, int flags), value, flags)
OPENS(FILE *, fopen, NULL, (const char *path, const char *mode), path, mode)
OPENS(int, inotify_init1, -1, (int flags), flags)
OPENS(int, memfd_create, -1, (const char *name, unsigned flags), name, flags)
OPENS(DIR *, opendir, NULL, (const char *path), path)
OPENS(int, pipe, -1, (int ends[2]), ends)
OPENS(int, pipe2, -1, (int ends[2], int flags), ends, flags)
OPENS(int, socket, -1, (int domain, int type, int protocol), domain, type, protocol)
OPENS(int, socketpair, -1, (int domain, int type, int protocol, int ends[2]), domain, type,
      protocol, ends)
OPENS(int, timerfd_create, -1, (int clock, int flags), clock, flags)

EXPORT int open(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;
	int fd;

	va_start(arguments, flags);
	mode = va_arg(arguments, mode_t);
	va_end(arguments);
	fd = NEXT(open)(path, flags, mode);
	return fd < 0 && give_back() ? NEXT(open)(path, flags, mode) : fd;
}

EXPORT int openat(int directory, const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;
	int fd;

	va_start(arguments, flags);
	mode = va_arg(arguments, mode_t);
	va_end(arguments);
	fd = NEXT(openat)(directory, path, flags, mode);
	return fd < 0 && give_back() ? NEXT(openat)(directory, path, flags, mode) : fd;
}

EXPORT int open64(const char *path, int flags, ...) __attribute__((alias("open")));
EXPORT int openat64(int directory, const char *path, int flags, ...)
	__attribute__((alias("openat")));
EXPORT int __open64_2(const char *path, int flags) __attribute__((alias("__open_2")));
EXPORT int __openat64_2(int directory, const char *path, int flags)
	__attribute__((alias("__openat_2")));
EXPORT FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));
