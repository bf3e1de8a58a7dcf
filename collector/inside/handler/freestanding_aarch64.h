/* SPDX-License-Identifier: MIT */
/* By pairs of registers; the rest by bytes. Plain instructions: libc's choose by what the CPU has.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline void freestanding_copy_many(void *to, const void *from, size_t n)
{
	uint64_t low, high;

	__asm__ volatile("b 2f\n"
			 "1:	ldp %[low], %[high], [%[from]], #16\n\t"
			 "stp %[low], %[high], [%[to]], #16\n\t"
			 "sub %[n], %[n], #16\n"
			 "2:	cmp %[n], #16\n\t"
			 "b.hs 1b\n\t"
			 "b 4f\n"
			 "3:	ldrb %w[low], [%[from]], #1\n\t"
			 "strb %w[low], [%[to]], #1\n\t"
			 "sub %[n], %[n], #1\n"
			 "4:	cbnz %[n], 3b"
			 : [to] "+r"(to), [from] "+r"(from), [n] "+r"(n), [low] "=&r"(low),
			   [high] "=&r"(high)
			 :
			 : "cc", "memory");
}

static inline void freestanding_fill_many(void *to, int byte, size_t n)
{
	uint64_t eight = (uint8_t)byte * UINT64_C(0x0101010101010101);

	__asm__ volatile("b 2f\n"
			 "1:	stp %[eight], %[eight], [%[to]], #16\n\t"
			 "sub %[n], %[n], #16\n"
			 "2:	cmp %[n], #16\n\t"
			 "b.hs 1b\n\t"
			 "b 4f\n"
			 "3:	strb %w[eight], [%[to]], #1\n\t"
			 "sub %[n], %[n], #1\n"
			 "4:	cbnz %[n], 3b"
			 : [to] "+r"(to), [n] "+r"(n)
			 : [eight] "r"(eight)
			 : "cc", "memory");
}
