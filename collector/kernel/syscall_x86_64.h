/* SPDX-License-Identifier: MIT */
/* System V ABI, AMD64 supplement, A.2.1. */
#pragma once

#include <stdint.h>
#include <sys/syscall.h>

/* clang's analyzer takes it that no asm writes to memory; unit tests have a kernel of their own. */
#if defined(__clang_analyzer__) || defined(SOFTLBR_FAKE_SYSCALLS)
long syscall_6(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f);
#else
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
#endif

static inline long syscall_dup2(int old, int wanted)
{
	return syscall_6(SYS_dup2, (uint64_t)old, (uint64_t)wanted, 0, 0, 0, 0);
}
