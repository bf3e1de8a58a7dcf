/* SPDX-License-Identifier: MIT */
/* `rep` takes some 30 cycles to begin. */
#pragma once

#include <stddef.h>

static inline void freestanding_copy_many(void *to, const void *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static inline void freestanding_fill_many(void *to, int byte, size_t n)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(byte) : "memory");
}
