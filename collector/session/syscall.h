/* SPDX-License-Identifier: MIT */
/*
 * System calls without libc: no errno (it is the profiled program's), no code that a breakpoint of
 * ours may stand in, no cancellation point. A failure is a negative errno.
 */
#ifndef COLLECTOR_SESSION_SYSCALL_H
#define COLLECTOR_SESSION_SYSCALL_H

#include <stdint.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
static inline long syscall_6(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
			     uint64_t e, uint64_t f)
{
	register uint64_t r10 __asm__("r10") = d;
	register uint64_t r8 __asm__("r8") = e;
	register uint64_t r9 __asm__("r9") = f;
	long rc;

	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return rc;
}
#else
#error "no system calls for this CPU yet"
#endif

static inline long syscall_3(long number, uint64_t a, uint64_t b, uint64_t c)
{
	return syscall_6(number, a, b, c, 0, 0, 0);
}

#endif
