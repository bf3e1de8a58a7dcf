/* SPDX-License-Identifier: MIT */
/* Intel SDM volume 3, 18.2 and 18.3.1.1 (breakpoints, the resume flag). The kernel wants a length
 * of sizeof(long) for breakpoints on code (arch/x86/kernel/hw_breakpoint.c). */
#pragma once

#include <cpuid.h>
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISA_HOST_MACHINE	   EM_X86_64
#define ISA_HOST_NAME		   "x86_64"
#define ISA_HOST_TRIPLET	   "x86_64-linux-gnu"
#define ISA_HOST_LINKER		   "ld-linux-x86-64.so.2"
#define ISA_HOST_BREAKPOINT_BYTES  sizeof(long)
#define ISA_HOST_PASSES_BREAKPOINT true
#define ISA_HOST_STOPS_BEHIND	   true
#define ISA_HOST_QUIET_TIMERS	   true
#define ISA_HOST_HAS_VALUES	   true
/* PERF_REG_X86_: AX to IP 0 to 8, R8 to R15 16 to 23 */
#define ISA_HOST_UNWIND_MASK	  UINT64_C(0xff01ff)
#define ISA_HOST_UNWIND_REGISTERS 17u
/* For 64-bit code (arch/x86/include/asm/segment.h, __USER_CS); Wine calls others */
#define ISA_HOST_CODE_SEGMENT 0x33u
/* mov $317,%eax: seccomp(2); mov $157,%eax and mov $22,%edi: prctl(PR_SET_SECCOMP); mov $13,%eax:
 * rt_sigaction(2), with mov $8,%r10d; syscall */
#define ISA_HOST_LOAD_BYTES	   5u
#define ISA_HOST_LOADS_SECCOMP	   "\xb8\x3d\x01\x00\x00"
#define ISA_HOST_LOADS_PRCTL	   "\xb8\x9d\x00\x00\x00"
#define ISA_HOST_LOADS_SET_SECCOMP "\xbf\x16\x00\x00\x00"
#define ISA_HOST_LOADS_SIGACTION   "\xb8\x0d\x00\x00\x00"
#define ISA_HOST_LOADS_MASK	   0xf8u
#define ISA_HOST_LOADS_MASK_BYTES  "\x41\xba\x08\x00\x00\x00"
#define ISA_HOST_SYSTEM_CALL	   "\x0f\x05"

/* Intel SDM volume 3, BR_INST_RETIRED.NEAR_TAKEN; AMD PPR, ExRetBrnTkn. */
static inline uint64_t isa_host_taken_branches(void)
{
	unsigned a, vendor, c, d;

	__cpuid(0, a, vendor, c, d);
	return vendor == signature_INTEL_ebx ? 0x20c4 : vendor == signature_AMD_ebx ? 0xc4 : 0;
}

/* The time stamp counter: Intel SDM volume 3, 18.17. */
static inline uint64_t isa_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

/* Intel SDM volume 2, CLFLUSH; volume 3, 18.17 for the fences around the clock. */
#define ISA_LINES_ARE_TIMED true
#define ISA_LINE_BYTES	    64u

static inline uint64_t isa_line_begin_ticks(void)
{
	uint64_t ticks;

	__builtin_ia32_lfence();
	ticks = __builtin_ia32_rdtsc();
	__builtin_ia32_lfence();
	return ticks;
}

static inline uint64_t isa_line_end_ticks(void)
{
	__builtin_ia32_lfence();
	return __builtin_ia32_rdtsc();
}

static inline uint64_t isa_line_load_ticks(const void *byte)
{
	uint64_t begin = isa_line_begin_ticks();

	(void)*(const volatile uint8_t *)byte;
	return isa_line_end_ticks() - begin;
}

static inline void isa_line_flush(const void *byte)
{
	__builtin_ia32_clflush(byte);
}

/* `rep` takes some 30 cycles to begin. */
static inline void isa_host_copy(void *to, const void *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static inline void isa_host_fill(void *to, int byte, size_t n)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(byte) : "memory");
}

/* Rotations by 128 bits in all. */
static inline uint64_t isa_host_ask_valgrind(const uint64_t request[6])
{
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi\n\t"
			 "rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\t"
			 "rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(request)
			 : "cc", "memory");
	return answer;
}
