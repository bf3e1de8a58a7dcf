/* SPDX-License-Identifier: MIT */
/* Constants that instructions hold in fewer bits. */
#include "isa/aarch64/op.h"
#include "isa/aarch64/operand.h"

/* A run of ones, rotated, repeated (Arm ARM, DecodeBitMasks). */
bool aarch64_constant_of_mask(uint32_t word, uint64_t *constant)
{
	unsigned n = word >> 22 & 1, rotate = aarch64_field(word, 16, 6);
	unsigned run = aarch64_field(word, 10, 6), kind = n << 6 | (~run & 63), width;
	uint64_t element;

	if (kind < 2 || (n && !(word >> 31)))
		return false;
	width = 1u << (31 - __builtin_clz(kind));
	run &= width - 1;
	rotate &= width - 1;
	if (run == width - 1)
		return false;
	element = (UINT64_C(1) << (run + 1)) - 1;
	if (rotate)
		element = element >> rotate | element << (width - rotate);
	if (width < 64)
		element &= (UINT64_C(1) << width) - 1;
	for (; width < 64; width *= 2)
		element |= element << width;
	*constant = word >> 31 ? element : (uint32_t)element;
	return true;
}

/* An 8-bit constant: sign, 3 bits of exponent, 4 of fraction (Arm ARM, VFPExpandImm). */
uint64_t aarch64_constant_of_float(uint64_t eight, unsigned bytes)
{
	unsigned exponent_bits = bytes == 8 ? 11 : 8, fraction_bits = bytes * 8 - 1 - exponent_bits;
	uint64_t repeated = eight >> 6 & 1, exponent;

	exponent = (repeated ^ 1) << (exponent_bits - 1) | (eight >> 4 & 3);
	if (repeated)
		exponent |= ((UINT64_C(1) << (exponent_bits - 3)) - 1) << 2;
	return (eight >> 7) << (bytes * 8 - 1) | exponent << fraction_bits |
	       (eight & 15) << (fraction_bits - 4);
}
