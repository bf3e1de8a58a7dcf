/* SPDX-License-Identifier: MIT */
/*
 * System calls without libc: no errno (it is the profiled program's), no code that a breakpoint of
 * ours may stand in, no cancellation point. A failure is a negative errno.
 *
 * Newer CPUs lack the calls that others replace: readlink, stat, unlink and their like are asked
 * for by a directory's descriptor. syscall_dup2() is what dup2(2) does.
 */
#pragma once

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "collector/kernel/syscall_x86_64.h"
#elif defined(__aarch64__)
#include "collector/kernel/syscall_aarch64.h"
#else
#error "softlbr's collector does not know this CPU yet"
#endif

static inline long syscall_3(long number, uint64_t a, uint64_t b, uint64_t c)
{
	return syscall_6(number, a, b, c, 0, 0, 0);
}

static inline uint32_t syscall_pid(void)
{
	return (uint32_t)syscall_3(SYS_getpid, 0, 0, 0);
}

static inline uint32_t syscall_tid(void)
{
	return (uint32_t)syscall_3(SYS_gettid, 0, 0, 0);
}

/* ---- files: closed at an exec --------------------------------------------------------------- */

static inline long syscall_open(const char *path, int flags)
{
	return syscall_3(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path,
			 (uint64_t)flags | O_CLOEXEC);
}

static inline void syscall_close(long fd)
{
	syscall_3(SYS_close, (uint64_t)fd, 0, 0);
}

static inline long syscall_read(long fd, void *to, size_t bytes)
{
	return syscall_3(SYS_read, (uint64_t)fd, (uintptr_t)to, bytes);
}

/* How much is there of @bytes at @at. */
static inline size_t syscall_read_at(long fd, void *to, size_t bytes, uint64_t at)
{
	long got = syscall_6(SYS_pread64, (uint64_t)fd, (uintptr_t)to, bytes, at, 0, 0);

	return got < 0 ? 0 : (size_t)got;
}

/* Where the link @path goes, as far as there is room; "" if it is none. */
static inline void syscall_read_link(const char *path, char *to, size_t room)
{
	long got = syscall_6(SYS_readlinkat, (uint64_t)AT_FDCWD, (uintptr_t)path, (uintptr_t)to,
			     room - 1, 0, 0);

	to[got > 0 ? got : 0] = 0;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* NULL if it can't be had. */
static inline void *syscall_map(size_t bytes, int protection, int flags, long fd, uint64_t from)
{
	long place = syscall_6(SYS_mmap, 0, bytes, (uint64_t)protection, (uint64_t)flags,
			       (uint64_t)fd, from);

	return place < 0 && place > -4096 ? NULL : (void *)place;
}

static inline void syscall_unmap(const void *memory, size_t bytes)
{
	syscall_3(SYS_munmap, (uintptr_t)memory, bytes, 0);
}

/* ---- signals -------------------------------------------------------------------------------- */

/* sigprocmask(2); the mask before. */
static inline uint64_t syscall_signal_mask(int how, uint64_t set)
{
	uint64_t before = 0;

	syscall_6(SYS_rt_sigprocmask, (uint64_t)how, (uintptr_t)&set, (uintptr_t)&before,
		  sizeof(set), 0, 0);
	return before;
}
