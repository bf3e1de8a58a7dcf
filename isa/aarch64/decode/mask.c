/* SPDX-License-Identifier: MIT */
/* Constants of logical instructions: a run of ones, rotated, repeated (Arm ARM, DecodeBitMasks). */
#include "isa/aarch64/op.h"
#include "isa/aarch64/operand.h"

bool aarch64_mask_decode(uint32_t word, uint64_t *constant)
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
