/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic by the host's own instructions, whose flags are those of the program's: each function
 * is for a size in bytes, changes its first operand and returns the status (state/status.h). Inside
 * isa/x86_64 only. Source: Intel SDM volume 2.
 */
#pragma once

#include "isa/x86_64/state/status.h"

typedef uint64_t bits_8;
typedef uint32_t bits_4;
typedef uint16_t bits_2;
typedef uint8_t bits_1;

#define ARITHMETIC_INLINE static inline __attribute__((always_inline))

#define NO_RESULT_FLAGS (X86_STATUS_NO_AF | X86_STATUS_NO_ZF | X86_STATUS_NO_SF | X86_STATUS_NO_PF)

/* @a becomes the result; returned is the status. */
#define HOST(name, text, size, suffix, unknown)                                 \
	ARITHMETIC_INLINE uint16_t name##_##size(bits_##size *a, bits_##size b) \
	{                                                                       \
		uint64_t ax;                                                    \
                                                                                \
		__asm__(#text #suffix " %2, %1\n\tlahf\n\tseto %%al"            \
			: "=&a"(ax), "+r"(*a)                                   \
			: "r"(b)                                                \
			: "cc");                                                \
		return (uint16_t)(ax | (unknown));                              \
	}
#define HOST_SIZES(name, text, unknown) \
	HOST(name, text, 8, q, unknown) \
	HOST(name, text, 4, l, unknown) \
	HOST(name, text, 2, w, unknown) \
	HOST(name, text, 1, b, unknown)

HOST_SIZES(add, add, 0)
HOST_SIZES(sub, sub, 0)
HOST_SIZES(cmp, cmp, 0)
HOST_SIZES(and, and, X86_STATUS_NO_AF)
HOST_SIZES(or, or, X86_STATUS_NO_AF)
HOST_SIZES(xor, xor, X86_STATUS_NO_AF)
HOST_SIZES(test, test, X86_STATUS_NO_AF)
HOST(multiply, imul, 8, q, NO_RESULT_FLAGS)
HOST(multiply, imul, 4, l, NO_RESULT_FLAGS)

/* The same with CF, which @status has. */
#define HOST_CARRY(name, text, size, suffix)                                                     \
	ARITHMETIC_INLINE uint16_t name##_##size(bits_##size *a, bits_##size b, unsigned status) \
	{                                                                                        \
		uint64_t ax;                                                                     \
                                                                                                 \
		__asm__("btl $8, %3\n\t" #text #suffix " %2, %1\n\tlahf\n\tseto %%al"            \
			: "=&a"(ax), "+r"(*a)                                                    \
			: "r"(b), "r"(status)                                                    \
			: "cc");                                                                 \
		return (uint16_t)ax;                                                             \
	}

#define HOST_CARRY_SIZES(name, text) \
	HOST_CARRY(name, text, 8, q) \
	HOST_CARRY(name, text, 4, l) \
	HOST_CARRY(name, text, 2, w) \
	HOST_CARRY(name, text, 1, b)

HOST_CARRY_SIZES(add_carry, adc)
HOST_CARRY_SIZES(sub_carry, sbb)

/* inc and dec leave CF as it was. */
ARITHMETIC_INLINE uint16_t keep_carry(unsigned before, unsigned now)
{
	const unsigned carry = X86_STATUS_CF | X86_STATUS_NO_CF;

	return (uint16_t)((now & ~carry) | (before & carry));
}

#define HOST_SHIFT(name, text, size, suffix)                                                    \
	ARITHMETIC_INLINE uint16_t name##_##size(bits_##size *v, uint8_t count)                 \
	{                                                                                       \
		uint64_t ax;                                                                    \
                                                                                                \
		__asm__(#text #suffix " %%cl, %1\n\tlahf\n\tseto %%al"                          \
			: "=&a"(ax), "+r"(*v)                                                   \
			: "c"(count)                                                            \
			: "cc");                                                                \
		return (uint16_t)(ax | X86_STATUS_NO_AF | (count == 1 ? 0 : X86_STATUS_NO_OF)); \
	}

#define HOST_SHIFT_SIZES(name, text) \
	HOST_SHIFT(name, text, 8, q) \
	HOST_SHIFT(name, text, 4, l) \
	HOST_SHIFT(name, text, 2, w) \
	HOST_SHIFT(name, text, 1, b)

HOST_SHIFT_SIZES(shl, shl)
HOST_SHIFT_SIZES(shr, shr)
HOST_SHIFT_SIZES(sar, sar)

/* rol and ror change CF and OF alone. */
#define HOST_ROTATE(name, size)                                                                  \
	ARITHMETIC_INLINE uint16_t name##_##size(bits_##size *v, uint8_t count, unsigned before) \
	{                                                                                        \
		const unsigned changed = X86_STATUS_CF | X86_STATUS_NO_CF | X86_STATUS_OF |      \
					 X86_STATUS_NO_OF;                                       \
		unsigned now = host_##name##_##size(v, count);                                   \
                                                                                                 \
		return (uint16_t)((before & ~changed) | (now & changed));                        \
	}

#define HOST_ROTATE_SIZES(name)             \
	HOST_SHIFT_SIZES(host_##name, name) \
	HOST_ROTATE(name, 8)                \
	HOST_ROTATE(name, 4)                \
	HOST_ROTATE(name, 2)                \
	HOST_ROTATE(name, 1)

HOST_ROTATE_SIZES(rol)
HOST_ROTATE_SIZES(ror)
