/* SPDX-License-Identifier: MIT */
/*
 * The calls through which a program meets descriptors that it did not open: those that close what
 * they find, take a number by force, or ask whether it is in use. For them ours do not exist. In
 * the child of a vfork, which has our memory but copies of the descriptors, they do what they say.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/inside/handler/descriptors.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/interpose/interposed.h"
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

EXPORT int dup(int old)
{
	return is_hidden(old) ? refuse(EBADF)
			      : (int)interposed_result(syscall_3(SYS_dup, (uint64_t)old, 0, 0));
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

	va_start(arguments, command);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	return is_hidden(fd) ? refuse(EBADF) : NEXT(fcntl)(fd, command, argument);
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
