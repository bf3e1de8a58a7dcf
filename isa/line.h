/* SPDX-License-Identifier: MIT */
/*
 * Cache lines of memory that can be loaded: how long a load takes, and putting a line out of all
 * caches again (Intel SDM volume 2, CLFLUSH; volume 3, 18.17 for the fences around the clock).
 */
#ifndef ISA_LINE_H
#define ISA_LINE_H

#include <stdint.h>

#if defined(__x86_64__)
#define ISA_LINE_BYTES 64u

/* Ticks (isa/ticks.h) that a load of the byte takes, the clock's own among them. */
static inline uint64_t isa_line_load_ticks(const void *byte)
{
	uint64_t begin;

	__builtin_ia32_mfence();
	begin = __builtin_ia32_rdtsc();
	__builtin_ia32_lfence();
	(void)*(const volatile uint8_t *)byte;
	__builtin_ia32_lfence();
	return __builtin_ia32_rdtsc() - begin;
}

static inline void isa_line_flush(const void *byte)
{
	__builtin_ia32_clflush(byte);
}
#else
#error "no cache lines for this CPU yet"
#endif

#endif
