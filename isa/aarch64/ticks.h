/* SPDX-License-Identifier: MIT */
/* The generic timer's virtual count, of 1 to 1000 MHz: Arm ARM, D12.2.4. */
#ifndef ISA_AARCH64_TICKS_H
#define ISA_AARCH64_TICKS_H

#include <stdint.h>

static inline uint64_t isa_ticks(void)
{
	uint64_t count;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
	return count;
}

#endif
