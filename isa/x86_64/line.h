/* SPDX-License-Identifier: MIT */
/* Intel SDM volume 2, CLFLUSH; volume 3, 18.17 for the fences around the clock. */
#ifndef ISA_X86_64_LINE_H
#define ISA_X86_64_LINE_H

#include <stdint.h>

#define ISA_LINES_ARE_TIMED true
#define ISA_LINE_BYTES	    64u

static inline uint64_t isa_line_begin_ticks(void)
{
	uint64_t ticks;

	__builtin_ia32_mfence();
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

#endif
