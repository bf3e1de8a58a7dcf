/* SPDX-License-Identifier: MIT */
/*
 * A breakpoint stops before the instruction, and again when the thread goes on: the kernel steps
 * over it only where no signal is sent (arch/arm64/kernel/hw_breakpoint.c, breakpoint_handler; the
 * signal's frame ends the step).
 */
#pragma once

#include <elf.h>
#include <stdbool.h>
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
