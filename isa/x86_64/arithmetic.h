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

/* rdx:rax, or the low halves of both, divided: the quotient and the remainder. False: more than 64
 * bits are needed, or it traps. */
ARITHMETIC_INLINE bool divide_8(uint64_t *rax, uint64_t *rdx, bits_8 divisor)
{
	if (!divisor || *rdx)
		return false;
	*rdx = *rax % divisor;
	*rax /= divisor;
	return true;
}

ARITHMETIC_INLINE bool divide_4(uint64_t *rax, uint64_t *rdx, bits_4 divisor)
{
	uint64_t dividend = *rdx << 32 | (uint32_t)*rax;

	if (!divisor || dividend / divisor > UINT32_MAX)
		return false;
	*rax = dividend / divisor;
	*rdx = dividend % divisor;
	return true;
}

/* A divisor of -1 may trap. */
ARITHMETIC_INLINE bool divide_signed_8(uint64_t *rax, uint64_t *rdx, bits_8 divisor)
{
	int64_t dividend = (int64_t)*rax, by = (int64_t)divisor;

	if (by == 0 || by == -1 || *rdx != (uint64_t)(dividend >> 63))
		return false;
	*rax = (uint64_t)(dividend / by);
	*rdx = (uint64_t)(dividend % by);
	return true;
}

ARITHMETIC_INLINE bool divide_signed_4(uint64_t *rax, uint64_t *rdx, bits_4 divisor)
{
	int64_t dividend = (int64_t)(*rdx << 32 | (uint32_t)*rax), by = (int32_t)divisor;

	if (by == 0 || by == -1 || dividend / by != (int32_t)(dividend / by))
		return false;
	*rax = (uint32_t)(dividend / by);
	*rdx = (uint32_t)(dividend % by);
	return true;
}
