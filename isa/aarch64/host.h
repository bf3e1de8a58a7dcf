/* SPDX-License-Identifier: MIT */
/*
 * A breakpoint stops before the instruction, and again when the thread goes on: the kernel steps
 * over it only where no signal is sent (arch/arm64/kernel/hw_breakpoint.c, breakpoint_handler; the
 * signal's frame ends the step).
 */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISA_HOST_MACHINE	   EM_AARCH64
#define ISA_HOST_NAME		   "aarch64"
#define ISA_HOST_TRIPLET	   "aarch64-linux-gnu"
#define ISA_HOST_LINKER		   "ld-linux-aarch64.so.1"
#define ISA_HOST_BREAKPOINT_BYTES  4
#define ISA_HOST_PASSES_BREAKPOINT false
#define ISA_HOST_STOPS_BEHIND	   false
#define ISA_HOST_QUIET_TIMERS	   false
#define ISA_HOST_HAS_VALUES	   false
/* PERF_REG_ARM64_: X0 to X29, LR, SP, PC 0 to 32 */
#define ISA_HOST_UNWIND_MASK	  UINT64_C(0x1ffffffff)
#define ISA_HOST_UNWIND_REGISTERS 33u
/* mov w8, #277: seccomp(2); mov w8, #167 and mov w0, #22: prctl(PR_SET_SECCOMP); mov w8, #134:
 * rt_sigaction(2), with mov x3, #8; svc #0. Of x8 and x0 the last byte is another. */
#define ISA_HOST_LOAD_BYTES	   3u
#define ISA_HOST_LOADS_SECCOMP	   "\xa8\x22\x80"
#define ISA_HOST_LOADS_PRCTL	   "\xe8\x14\x80"
#define ISA_HOST_LOADS_SET_SECCOMP "\xc0\x02\x80"
#define ISA_HOST_LOADS_SIGACTION   "\xc8\x10\x80"
#define ISA_HOST_LOADS_MASK	   0xe0u
#define ISA_HOST_LOADS_MASK_BYTES  "\x03\x01\x80"
#define ISA_HOST_SYSTEM_CALL	   "\x01\x00\x00\xd4"

/* The generic event of branches is the one of taken ones (PC_WRITE_RETIRED) where the PMU has that;
 * a raw number says nothing, as PMUs accept those that they do not count. */
static inline uint64_t isa_host_taken_branches(void)
{
	return 0;
}

/* The generic timer's virtual count, of 1 to 1000 MHz: Arm ARM, D12.2.4. */
static inline uint64_t isa_ticks(void)
{
	uint64_t count;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
	return count;
}

/* The only clock that a program may read is too coarse to tell memory from caches: a tick takes 1
 * to 40 ns on today's machines. */
#define ISA_LINES_ARE_TIMED false
#define ISA_LINE_BYTES	    64u

static inline uint64_t isa_line_begin_ticks(void)
{
	return 0;
}

static inline uint64_t isa_line_end_ticks(void)
{
	return 0;
}

static inline uint64_t isa_line_load_ticks(const void *byte)
{
	(void)byte;
	return 0;
}

static inline void isa_line_flush(const void *byte)
{
	(void)byte;
}

/* By pairs of registers; the rest by bytes. Plain instructions: libc's choose by what the CPU has.
 */
static inline void isa_host_copy(void *to, const void *from, size_t n)
{
	uint64_t low, high;

	__asm__ volatile("b 2f\n"
			 "1:	ldp %[low], %[high], [%[from]], #16\n\t"
			 "stp %[low], %[high], [%[to]], #16\n\t"
			 "sub %[n], %[n], #16\n"
			 "2:	cmp %[n], #16\n\t"
			 "b.hs 1b\n\t"
			 "b 4f\n"
			 "3:	ldrb %w[low], [%[from]], #1\n\t"
			 "strb %w[low], [%[to]], #1\n\t"
			 "sub %[n], %[n], #1\n"
			 "4:	cbnz %[n], 3b"
			 : [to] "+r"(to), [from] "+r"(from), [n] "+r"(n), [low] "=&r"(low),
			   [high] "=&r"(high)
			 :
			 : "cc", "memory");
}

static inline void isa_host_fill(void *to, int byte, size_t n)
{
	uint64_t eight = (uint8_t)byte * UINT64_C(0x0101010101010101);

	__asm__ volatile("b 2f\n"
			 "1:	stp %[eight], %[eight], [%[to]], #16\n\t"
			 "sub %[n], %[n], #16\n"
			 "2:	cmp %[n], #16\n\t"
			 "b.hs 1b\n\t"
			 "b 4f\n"
			 "3:	strb %w[eight], [%[to]], #1\n\t"
			 "sub %[n], %[n], #1\n"
			 "4:	cbnz %[n], 3b"
			 : [to] "+r"(to), [n] "+r"(n)
			 : [eight] "r"(eight)
			 : "cc", "memory");
}

/* Rotations by 128 bits in all. */
static inline uint64_t isa_host_ask_valgrind(const uint64_t request[6])
{
	register uint64_t answer __asm__("x3") = 0;
	register const uint64_t *asked __asm__("x4") = request;

	__asm__ volatile("ror x12, x12, #3\n\t"
			 "ror x12, x12, #13\n\t"
			 "ror x12, x12, #51\n\t"
			 "ror x12, x12, #61\n\t"
			 "orr x10, x10, x10"
			 : "+r"(answer)
			 : "r"(asked)
			 : "cc", "memory");
	return answer;
}
