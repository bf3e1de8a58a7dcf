/* SPDX-License-Identifier: MIT */
/* Shifts, fields and counts of bits: Arm ARM, C6.2. */
#include "isa/aarch64/operand.h"

/* Shift bits, or which of them are known: @fill comes in from the left. */
static uint64_t shift_right(uint64_t bits, unsigned distance, unsigned width, uint64_t fill)
{
	return distance ? bits >> distance | fill << (width - distance) : bits;
}

struct isa_value aarch64_bits_shifted(struct isa_value v, enum aarch64_shift how, unsigned distance,
				      unsigned bytes)
{
	unsigned width = bytes * 8;
	uint64_t mask = isa_mask(bytes), sign = isa_sign(bytes), low;
	struct isa_value fill = {0, UINT64_MAX};

	if (!distance)
		return v;
	low = (UINT64_C(1) << distance) - 1;
	v.known &= mask;
	switch (how) {
	case AARCH64_LSL:
		v.bits <<= distance;
		v.known = v.known << distance | low;
		return aarch64_cut(v, bytes);
	case AARCH64_ASR:
		fill.bits = v.bits & sign ? UINT64_MAX : 0;
		fill.known = v.known & sign ? UINT64_MAX : 0;
		break;
	case AARCH64_ROR:
		fill = v;
		break;
	case AARCH64_LSR:
		break;
	}
	v.bits = shift_right(v.bits, distance, width, fill.bits);
	v.known = shift_right(v.known, distance, width, fill.known);
	return aarch64_cut(v, bytes);
}

/* sbfm, bfm, ubfm: r->shift is immr, r->extend imms */
AARCH64_EVALUATOR(bits_field)
{
	unsigned width = r->size * 8u, low = r->shift, top = r->extend, at = 0, bits;
	struct isa_value v = aarch64_register(s, r->rn, r->size);
	struct isa_value old = aarch64_register(s, r->rd, r->size);
	uint64_t mask;

	if (top >= low) { /* take out */
		bits = top - low + 1;
		v.bits >>= low;
		v.known >>= low;
	} else { /* put there */
		bits = top + 1;
		at = width - low;
	}
	mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	v.bits &= mask;
	v.known &= mask;
	if (r->variant == AARCH64_SBFM) {
		v.bits = aarch64_sign_extend(v.bits, bits);
		v.known = aarch64_sign_extend(v.known, bits);
	} else {
		v.known |= ~mask;
	}
	v.bits <<= at;
	v.known = v.known << at | ((UINT64_C(1) << at) - 1);
	if (r->variant == AARCH64_BFM) {
		mask <<= at;
		v.bits = (v.bits & mask) | (old.bits & ~mask);
		v.known = (v.known & mask) | (old.known & ~mask);
	}
	aarch64_register_set(s, r->rd, r->size, v);
	return ISA_NEXT;
}

/* extr: rn above rm, shifted right */
AARCH64_EVALUATOR(bits_extract)
{
	struct isa_value high = aarch64_register(s, r->rn, r->size);
	struct isa_value low = aarch64_register(s, r->rm, r->size);
	uint64_t mask = isa_mask(r->size);

	low.bits = shift_right(low.bits, r->shift, r->size * 8u, high.bits);
	low.known = shift_right(low.known & mask, r->shift, r->size * 8u, high.known & mask);
	aarch64_register_set(s, r->rd, r->size, low);
	return ISA_NEXT;
}

/* lslv, lsrv, asrv, rorv */
AARCH64_EVALUATOR(bits_shift)
{
	struct isa_value v = aarch64_register(s, r->rn, r->size);
	struct isa_value distance = aarch64_register(s, r->rm, r->size);
	unsigned within = r->size * 8u - 1;

	if ((distance.known & within) == within)
		v = aarch64_bits_shifted(v, (enum aarch64_shift)r->variant,
					 (unsigned)distance.bits & within, r->size);
	else if (v.bits || !aarch64_is_known(v))
		v = ISA_UNKNOWN;
	aarch64_register_set(s, r->rd, r->size, v);
	return ISA_NEXT;
}

static uint64_t reverse_bits(uint64_t v)
{
	v = (v >> 1 & UINT64_C(0x5555555555555555)) | (v & UINT64_C(0x5555555555555555)) << 1;
	v = (v >> 2 & UINT64_C(0x3333333333333333)) | (v & UINT64_C(0x3333333333333333)) << 2;
	v = (v >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (v & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
	return __builtin_bswap64(v);
}

/* Reverses the bytes of each @within bytes; 0: all bits of @size bytes. */
static uint64_t reverse(uint64_t v, unsigned within, unsigned size)
{
	switch (within) {
	case 0:
		return reverse_bits(v) >> (64 - size * 8);
	case 2:
		return (v >> 8 & UINT64_C(0x00ff00ff00ff00ff)) | (v & UINT64_C(0x00ff00ff00ff00ff))
									 << 8;
	case 4:
		v = __builtin_bswap64(v);
		return v >> 32 | v << 32;
	}
	return __builtin_bswap64(v);
}

/* rbit, rev16, rev32, rev */
AARCH64_EVALUATOR(bits_reverse)
{
	struct isa_value v = aarch64_register(s, r->rn, r->size);

	v.bits = reverse(v.bits, r->variant, r->size);
	v.known = reverse(v.known, r->variant, r->size);
	aarch64_register_set(s, r->rd, r->size, v);
	return ISA_NEXT;
}

/* clz; cls: of the bits that differ from their neighbour */
AARCH64_EVALUATOR(bits_count)
{
	struct isa_value v = aarch64_register(s, r->rn, r->size);
	unsigned width = r->size * 8u;
	uint64_t first;

	if (r->variant == AARCH64_CLS) {
		v.bits = (v.bits ^ v.bits >> 1) & isa_mask(r->size) >> 1;
		v.known &= v.known >> 1 | isa_sign(8);
		width--;
	}
	/* the first bit that is set has to be known, and all above it */
	first = v.bits ? UINT64_C(1) << (63 - __builtin_clzll(v.bits)) : 1;
	if (~v.known & ~(first - 1))
		v = ISA_UNKNOWN;
	else
		v = aarch64_known(v.bits ? width - 64 + (unsigned)__builtin_clzll(v.bits) : width);
	aarch64_register_set(s, r->rd, r->size, v);
	return ISA_NEXT;
}
