/* SPDX-License-Identifier: MIT */
/* The CPU's own clock: the cheapest time there is, in ticks of a constant but unknown length. */
#ifndef ISA_TICKS_H
#define ISA_TICKS_H

#include <stdint.h>

#if defined(__x86_64__)
static inline uint64_t isa_ticks(void)
{
	return __builtin_ia32_rdtsc();
}
#else
#error "no ticks for this CPU yet"
#endif

#endif
