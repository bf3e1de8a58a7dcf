/* SPDX-License-Identifier: MIT */
/* Clocks in nanoseconds (clock_gettime(2)). */
#pragma once

#include <time.h>

#include "collector/kernel/syscall.h"

static inline uint64_t clock_timespec_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

/* CLOCK_MONOTONIC by libc, which mostly needs no system call; not in our handlers. */
static inline uint64_t clock_now_ns(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_MONOTONIC, &t);
	return clock_timespec_ns(&t);
}

/* Any clock, by a system call: for handlers, which must not run libc's code. */
static inline uint64_t clock_handler_ns(int clock)
{
	struct timespec t = {0};

	syscall_3(SYS_clock_gettime, (uint64_t)clock, (uintptr_t)&t, 0);
	return clock_timespec_ns(&t);
}

/* Sleep for less than a second. In handlers too. */
static inline void clock_sleep_ns(uint32_t ns)
{
	struct timespec t = {.tv_nsec = (long)ns};

	syscall_3(SYS_nanosleep, (uintptr_t)&t, 0, 0);
}
