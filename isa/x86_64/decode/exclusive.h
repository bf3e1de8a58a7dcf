/* SPDX-License-Identifier: MIT */
/* x86 locks the memory of one instruction at a time: nothing fails because of a stop between two.
 */
#ifndef ISA_X86_64_DECODE_EXCLUSIVE_H
#define ISA_X86_64_DECODE_EXCLUSIVE_H

#include <stdbool.h>
#include <stdint.h>

struct isa_memory;

static inline bool isa_exclusive_contains(const struct isa_memory *m, uint64_t address)
{
	(void)m;
	(void)address;
	return false;
}

static inline bool isa_exclusive_opens(const struct isa_memory *m, uint64_t address)
{
	(void)m;
	(void)address;
	return false;
}

#endif
