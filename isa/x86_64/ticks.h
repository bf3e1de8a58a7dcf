/* SPDX-License-Identifier: MIT */
/* The time stamp counter: Intel SDM volume 3, 18.17. */
#ifndef ISA_X86_64_TICKS_H
#define ISA_X86_64_TICKS_H

#include <stdint.h>

static inline uint64_t isa_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

#endif
