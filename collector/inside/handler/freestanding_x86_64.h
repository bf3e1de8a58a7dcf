/* SPDX-License-Identifier: MIT */
/* `rep` takes some 30 cycles to begin. */
#ifndef COLLECTOR_INSIDE_FREESTANDING_X86_64_H
#define COLLECTOR_INSIDE_FREESTANDING_X86_64_H

#include <stddef.h>

static inline void freestanding_copy_many(void *to, const void *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static inline void freestanding_fill_many(void *to, int byte, size_t n)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(byte) : "memory");
}

#endif
