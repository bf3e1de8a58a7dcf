/* SPDX-License-Identifier: MIT */
/* Rotations by 128 bits in all. */
#pragma once

#include <stdint.h>

static inline uint64_t valgrind_ask(const uint64_t request[6])
{
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi\n\t"
			 "rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\t"
			 "rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(request)
			 : "cc", "memory");
	return answer;
}
