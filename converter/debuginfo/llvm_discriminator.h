/* SPDX-License-Identifier: MIT */
/*
 * LLVM packs three numbers into a discriminator (llvm/IR/DebugInfoMetadata.h, "discriminators"):
 * the base discriminator, the duplication factor (how many copies of this code a vectorised or
 * unrolled loop has, 0 meaning 1) and a copy identifier. From the low bits:
 *
 *	1                      this number is 0
 *	0 vvvvv 0              a number below 32 (the last 0 is the flag: no more bits)
 *	0 vvvvv 1 hhhhhhh      a number below 4096: h << 5 | v
 *
 * A call's is another one if it was compiled with -fpseudo-probe-for-profiling (llvm/IR/
 * PseudoProbe.h, PseudoProbeDwarfDiscriminator): three times 1, then the probe's number, in whose
 * upper bits LLVM 17 and later keep the base discriminator and set bit 28. Where they don't, LLVM
 * takes the number for the base.
 */
#pragma once

#include <stdint.h>

static inline uint32_t llvm_discriminator_first(uint32_t d)
{
	if (d & 1)
		return 0;
	d >>= 1;
	return d & 0x20 ? (d >> 1 & 0xfe0) | (d & 0x1f) : d & 0x1f;
}

static inline uint32_t llvm_discriminator_rest(uint32_t d)
{
	if (d & 1)
		return d >> 1;
	return d & 0x40 ? d >> 14 : d >> 7;
}

static inline uint32_t llvm_discriminator_base(uint32_t d)
{
	if ((d & 7) != 7 || d == 7)
		return llvm_discriminator_first(d);
	return d >> 28 & 1 ? d >> 16 & 7 : d >> 3 & 0xffff;
}

static inline uint32_t llvm_discriminator_factor(uint32_t d)
{
	uint32_t factor = llvm_discriminator_first(llvm_discriminator_rest(d));

	return factor ? factor : 1;
}
