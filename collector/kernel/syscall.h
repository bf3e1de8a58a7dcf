/* SPDX-License-Identifier: MIT */
/*
 * System calls without libc: no errno (it is the profiled program's), no code that a breakpoint of
 * ours may stand in, no cancellation point. A failure is a negative errno.
 *
 * Newer CPUs lack the calls that others replace: readlink, stat, unlink and their like are asked
 * for by a directory's descriptor. syscall_dup2() is what dup2(2) does.
 */
#pragma once

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
