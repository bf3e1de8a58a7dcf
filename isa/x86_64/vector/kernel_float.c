/* SPDX-License-Identifier: MIT */
/* Floating-point kernels with an immediate. Source: Intel SDM volume 2 (CMPPS, ROUNDPS). */
#include "isa/x86_64/vector/kernel.h"

#define KERNEL(name)                                                         \
	void x86_kernel_##name(union x86_chunk *d, const union x86_chunk *a, \
			       const union x86_chunk *b, unsigned immediate)

/* The relation's bits: equal, less, greater, unordered; for each predicate those that satisfy it.
 * Predicates 16 to 31 differ only in which not-a-numbers they signal. */
enum { EQUAL = 1, LESS = 2, GREATER = 4, UNORDERED = 8 };

static const uint8_t satisfied[16] = {
	EQUAL,
	LESS,
	LESS | EQUAL,
	UNORDERED,
	LESS | GREATER | UNORDERED,
	EQUAL | GREATER | UNORDERED,
	GREATER | UNORDERED,
	EQUAL | LESS | GREATER,
	EQUAL | UNORDERED,
	LESS | UNORDERED,
	LESS | EQUAL | UNORDERED,
	0,
	LESS | GREATER,
	EQUAL | GREATER,
	GREATER,
	EQUAL | LESS | GREATER | UNORDERED,
};

#define RELATION(x, y) ((x) == (y) ? EQUAL : (x) < (y) ? LESS : (x) > (y) ? GREATER : UNORDERED)

#define COMPARE(name, number, from, to)                                                          \
	KERNEL(name)                                                                             \
	{                                                                                        \
		union x86_chunk out = *a;                                                        \
                                                                                                 \
		for (unsigned i = 0; i < (number); i++)                                          \
			out.to[i] = satisfied[immediate & 15] & RELATION(a->from[i], b->from[i]) \
					    ? (__typeof__(out.to[i]))-1                          \
					    : 0;                                                 \
		*d = out;                                                                        \
	}

COMPARE(compare_float, 4, f32, u32)
COMPARE(compare_double, 2, f64, u64)
COMPARE(compare_float_low, 1, f32, u32)
COMPARE(compare_double_low, 1, f64, u64)

#define ROUND_CASE(instruction, mode)                                                      \
	case mode:                                                                         \
		__asm__ volatile(instruction " $" #mode ", %1, %0" : "+x"(v) : "x"(b->v)); \
		break;

/* Bit 3 of the immediate only keeps the inexact flag clear; bit 2 takes MXCSR's mode. */
#define ROUND(name, instruction)                                                           \
	KERNEL(name)                                                                       \
	{                                                                                  \
		__m128i v = a->v;                                                          \
                                                                                           \
		switch (immediate & 7) {                                                   \
			ROUND_CASE(instruction, 0)                                         \
			ROUND_CASE(instruction, 1)                                         \
			ROUND_CASE(instruction, 2)                                         \
			ROUND_CASE(instruction, 3)                                         \
		default:                                                                   \
			__asm__ volatile(instruction " $4, %1, %0" : "+x"(v) : "x"(b->v)); \
		}                                                                          \
		d->v = v;                                                                  \
	}

ROUND(round_float, "roundps")
ROUND(round_double, "roundpd")
ROUND(round_float_low, "roundss")
ROUND(round_double_low, "roundsd")
