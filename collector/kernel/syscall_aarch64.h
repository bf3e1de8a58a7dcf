/* SPDX-License-Identifier: MIT */
/* The number in x8, the result in x0: syscall(2). */
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>

#ifdef SOFTLBR_FAKE_SYSCALLS /* unit tests have a kernel of their own */
long syscall_6(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f);
#else
static inline long syscall_6(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
			     uint64_t e, uint64_t f)
{
	register long x8 __asm__("x8") = number;
	register uint64_t x0 __asm__("x0") = a;
	register uint64_t x1 __asm__("x1") = b;
	register uint64_t x2 __asm__("x2") = c;
	register uint64_t x3 __asm__("x3") = d;
	register uint64_t x4 __asm__("x4") = e;
	register uint64_t x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return (long)x0;
}
#endif

/* dup3(2) refuses equal descriptors; dup2(2) says whether it is one. */
static inline long syscall_dup2(int old, int wanted)
{
	long rc;

	if (old != wanted)
		return syscall_6(SYS_dup3, (uint64_t)old, (uint64_t)wanted, 0, 0, 0, 0);
	rc = syscall_6(SYS_fcntl, (uint64_t)old, F_GETFD, 0, 0, 0, 0);
	return rc < 0 ? rc : wanted;
}
