/* SPDX-License-Identifier: MIT */
/* The kernels: what computes on 16 bytes at a time. Source: Intel SDM volume 2. */
#include "isa/x86_64/vector/kernel.h"

/* ---- with an immediate, or younger than SSE ------------------------------------------------ */

#define KERNEL(name)                                                            \
	static void kernel_##name(union x86_chunk *d, const union x86_chunk *a, \
				  const union x86_chunk *b, unsigned immediate)

/* The group's ModRM digit is in bits 8 to 10 of the immediate, the count below it. */
enum { SHIFT_RIGHT = 2, SHIFT_RIGHT_BYTES = 3, SHIFT_SIGNED = 4, SHIFT_LEFT = 6 };

static uint64_t shift_element(uint64_t bits, unsigned width, unsigned digit, uint64_t count)
{
	int64_t value = (int64_t)(bits << (64 - width)) >> (64 - width);

	if (digit == SHIFT_SIGNED)
		return (uint64_t)(value >> (count < width ? count : width - 1));
	if (count >= width)
		return 0;
	return digit == SHIFT_LEFT ? bits << count : bits >> count;
}

#define SHIFT(name, field, number, width)                                                  \
	KERNEL(name)                                                                       \
	{                                                                                  \
		(void)a;                                                                   \
		for (unsigned i = 0; i < (number); i++)                                    \
			d->field[i] = (__typeof__(d->field[i]))shift_element(              \
				b->field[i], width, immediate >> 8 & 7, immediate & 0xff); \
	}

SHIFT(shift_words, u16, 8, 16)
SHIFT(shift_dwords, u32, 4, 32)
SHIFT(shift_qwords, u64, 2, 64)

KERNEL(shift_bytes)
{
	unsigned count = immediate & 0xff;
	bool right = (immediate >> 8 & 7) == SHIFT_RIGHT_BYTES;
	union x86_chunk out = {0};

	(void)a;
	for (unsigned i = 0; i < 16; i++) {
		unsigned from = right ? i + count : i - count;

		if (from < 16)
			out.u8[i] = b->u8[from];
	}
	*d = out;
}

/* prol, pror by immediate: digit 1 and 0 */
#define ROTATE(name, field, number, width)                                            \
	KERNEL(name)                                                                  \
	{                                                                             \
		unsigned count = immediate & ((width)-1);                             \
                                                                                      \
		(void)a;                                                              \
		if (!(immediate >> 8 & 7))                                            \
			count = ((width)-count) & ((width)-1);                        \
		for (unsigned i = 0; i < (number); i++)                               \
			d->field[i] = b->field[i] << count |                          \
				      b->field[i] >> (((width)-count) & ((width)-1)); \
	}

ROTATE(rotate_dwords, u32, 4, 32)
ROTATE(rotate_qwords, u64, 2, 64)

KERNEL(pshufd)
{
	union x86_chunk out;

	(void)a;
	for (unsigned i = 0; i < 4; i++)
		out.u32[i] = b->u32[immediate >> i * 2 & 3];
	*d = out;
}

static void shuffle_words(union x86_chunk *d, const union x86_chunk *b, unsigned from,
			  unsigned immediate)
{
	union x86_chunk out = *b;

	for (unsigned i = 0; i < 4; i++)
		out.u16[from + i] = b->u16[from + (immediate >> i * 2 & 3)];
	*d = out;
}

KERNEL(pshuflw)
{
	(void)a;
	shuffle_words(d, b, 0, immediate);
}

KERNEL(pshufhw)
{
	(void)a;
	shuffle_words(d, b, 4, immediate);
}

KERNEL(palignr)
{
	unsigned count = immediate & 0xff;
	union x86_chunk out = {0};

	for (unsigned i = 0; i < 16; i++) {
		unsigned from = i + count;

		if (from < 16)
			out.u8[i] = b->u8[from];
		else if (from < 32)
			out.u8[i] = a->u8[from - 16];
	}
	*d = out;
}

KERNEL(shufps)
{
	union x86_chunk out;

	for (unsigned i = 0; i < 4; i++)
		out.u32[i] = (i < 2 ? a : b)->u32[immediate >> i * 2 & 3];
	*d = out;
}

/* vpermilps with a vector of indices */
KERNEL(permute_dwords)
{
	union x86_chunk out;

	(void)immediate;
	for (unsigned i = 0; i < 4; i++)
		out.u32[i] = a->u32[b->u32[i] & 3];
	*d = out;
}

/* an immediate bit for each word; wider elements have their bit repeated by the selector */
KERNEL(blend_words)
{
	for (unsigned i = 0; i < 8; i++)
		d->u16[i] = immediate >> i & 1 ? b->u16[i] : a->u16[i];
}

KERNEL(pclmulqdq)
{
	uint64_t x = a->u64[immediate & 1], y = b->u64[immediate >> 4 & 1], low = 0, high = 0;

	for (unsigned i = 0; i < 64; i++) {
		if (!(y >> i & 1))
			continue;
		low ^= x << i;
		high ^= i ? x >> (64 - i) : 0;
	}
	d->u64[0] = low;
	d->u64[1] = high;
}

KERNEL(insertps)
{
	union x86_chunk out = *a;

	out.u32[immediate >> 4 & 3] = b->u32[immediate >> 6 & 3];
	for (unsigned i = 0; i < 4; i++)
		out.u32[i] = immediate >> i & 1 ? 0 : out.u32[i];
	*d = out;
}

#define EACH(name, number, field, type, result)                            \
	KERNEL(name)                                                       \
	{                                                                  \
		(void)immediate, (void)a;                                  \
		for (unsigned i = 0; i < (number); i++) {                  \
			type x = (type)a->field[i], y = (type)b->field[i]; \
                                                                           \
			(void)x;                                           \
			d->field[i] = (__typeof__(d->field[i]))(result);   \
		}                                                          \
	}

EACH(pminsq, 2, u64, int64_t, x < y ? x : y)
EACH(pmaxsq, 2, u64, int64_t, x > y ? x : y)
EACH(pminuq, 2, u64, uint64_t, x < y ? x : y)
EACH(pmaxuq, 2, u64, uint64_t, x > y ? x : y)
EACH(pmullq, 2, u64, uint64_t, x *y)
EACH(pabsq, 2, u64, uint64_t, y >> 63 ? -y : y)
EACH(psllvw, 8, u16, uint64_t, shift_element(x, 16, SHIFT_LEFT, y))
EACH(psllvd, 4, u32, uint64_t, shift_element(x, 32, SHIFT_LEFT, y))
EACH(psllvq, 2, u64, uint64_t, shift_element(x, 64, SHIFT_LEFT, y))
EACH(psrlvw, 8, u16, uint64_t, shift_element(x, 16, SHIFT_RIGHT, y))
EACH(psrlvd, 4, u32, uint64_t, shift_element(x, 32, SHIFT_RIGHT, y))
EACH(psrlvq, 2, u64, uint64_t, shift_element(x, 64, SHIFT_RIGHT, y))
EACH(psravw, 8, u16, uint64_t, shift_element(x, 16, SHIFT_SIGNED, y))
EACH(psravd, 4, u32, uint64_t, shift_element(x, 32, SHIFT_SIGNED, y))
EACH(psravq, 2, u64, uint64_t, shift_element(x, 64, SHIFT_SIGNED, y))
EACH(popcntb, 16, u8, uint8_t, __builtin_popcount(y))
EACH(popcntw, 8, u16, uint16_t, __builtin_popcount(y))
EACH(popcntd, 4, u32, uint32_t, __builtin_popcount(y))
EACH(popcntq, 2, u64, uint64_t, __builtin_popcountll(y))
EACH(lzcntd, 4, u32, uint32_t, y ? __builtin_clz(y) : 32)
EACH(lzcntq, 2, u64, uint64_t, y ? __builtin_clzll(y) : 64)
EACH(test_8, 16, u8, uint8_t, x &y ? -1 : 0)
EACH(test_16, 8, u16, uint16_t, x &y ? -1 : 0)
EACH(test_32, 4, u32, uint32_t, x &y ? -1 : 0)
EACH(test_64, 2, u64, uint64_t, x &y ? -1 : 0)
EACH(testn_8, 16, u8, uint8_t, x &y ? 0 : -1)
EACH(testn_16, 8, u16, uint16_t, x &y ? 0 : -1)
EACH(testn_32, 4, u32, uint32_t, x &y ? 0 : -1)
EACH(testn_64, 2, u64, uint64_t, x &y ? 0 : -1)
EACH(sign, 2, u64, uint64_t, y)

KERNEL(psraq)
{
	for (unsigned i = 0; i < 2; i++)
		d->u64[i] = shift_element(a->u64[i], 64, SHIFT_SIGNED, b->u64[0]);
	(void)immediate;
}

/* eq, lt, le, false, ne, ge, gt, true */
#define COMPARE(name, type)                                             \
	KERNEL(name)                                                    \
	{                                                               \
		typedef type elements __attribute__((vector_size(16))); \
		elements x = (elements)a->v, y = (elements)b->v;        \
		__m128i holds = _mm_set1_epi8(immediate & 4 ? -1 : 0);  \
                                                                        \
		switch (immediate & 3) {                                \
		case 0:                                                 \
			holds ^= (__m128i)(x == y);                     \
			break;                                          \
		case 1:                                                 \
			holds ^= (__m128i)(x < y);                      \
			break;                                          \
		case 2:                                                 \
			holds ^= (__m128i)(x <= y);                     \
		}                                                       \
		d->v = holds;                                           \
	}

COMPARE(compare_i8, int8_t)
COMPARE(compare_i16, int16_t)
COMPARE(compare_i32, int32_t)
COMPARE(compare_i64, int64_t)
COMPARE(compare_u8, uint8_t)
COMPARE(compare_u16, uint16_t)
COMPARE(compare_u32, uint32_t)
COMPARE(compare_u64, uint64_t)

/* ---- floating point with an immediate (CMPPS, ROUNDPS) ------------------------------------- */

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

#define COMPARE_FLOATS(name, number, from, to)                                                   \
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

COMPARE_FLOATS(compare_float, 4, f32, u32)
COMPARE_FLOATS(compare_double, 2, f64, u64)
COMPARE_FLOATS(compare_float_low, 1, f32, u32)
COMPARE_FLOATS(compare_double_low, 1, f64, u64)

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

/* ---- SSE instructions, and the table of all ------------------------------------------------ */

/* `volatile` keeps them between changes of MXCSR */
#define X(name, shape)                                                       \
	static void sse_##name(union x86_chunk *d, const union x86_chunk *a, \
			       const union x86_chunk *b, unsigned immediate) \
	{                                                                    \
		__m128i v = a->v;                                            \
                                                                             \
		(void)immediate;                                             \
		__asm__ volatile(#name " %1, %0" : "+x"(v) : "x"(b->v));     \
		d->v = v;                                                    \
	}
X86_SSE_KERNELS(X)
#undef X

const struct x86_kernel x86_kernel_table[X86_KERNELS] = {
#define X(name, shape) [X86_KERNEL_##name] = {sse_##name, shape},
	X86_SSE_KERNELS(X)
#undef X
#define X(name, shape) [X86_KERNEL_##name] = {kernel_##name, shape},
		X86_OTHER_KERNELS(X)
#undef X
};
