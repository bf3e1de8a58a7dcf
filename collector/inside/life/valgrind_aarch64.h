/* SPDX-License-Identifier: MIT */
/* Rotations by 128 bits in all. */
#pragma once

#include <stdint.h>

static inline uint64_t valgrind_ask(const uint64_t request[6])
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
