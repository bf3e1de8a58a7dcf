/* SPDX-License-Identifier: MIT */
/* What the programs of this folder are busy with: branches that data decides, and a result that
 * tells whether each of them went its way. */
#pragma once

#include <stdint.h>

/* In whichever function it is called. */
static inline __attribute__((always_inline)) uint64_t work_here(uint64_t seed, uint64_t rounds)
{
	uint64_t sum = 0;

	__asm__ volatile(""
			 : "+r"(seed)); /* the same work is done each time that it is asked for */
	for (uint64_t i = 0; i < rounds; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		if (seed >> 60 < 6)
			sum += seed >> 40;
		else if (seed & 1u << 20)
			sum ^= seed;
	}
	return sum;
}

/* In a function of this name. */
static __attribute__((noinline, unused)) uint64_t work(uint64_t seed, uint64_t rounds)
{
	return work_here(seed, rounds);
}
