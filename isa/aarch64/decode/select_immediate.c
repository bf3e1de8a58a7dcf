/* SPDX-License-Identifier: MIT */
/* Data processing with an immediate: Arm ARM, C4.1.92. */
#include "isa/aarch64/op.h"
#include "isa/aarch64/operand.h"

static bool select_address(uint32_t word, uint64_t address, struct isa_record *r)
{
	uint64_t distance = aarch64_sign_extend(
		(uint64_t)aarch64_field(word, 5, 19) << 2 | aarch64_field(word, 29, 2), 21);

	r->op = AARCH64_OP_CONSTANT;
	r->size = 8;
	if (word >> 31)
		r->immediate = (address & ~UINT64_C(0xfff)) + (distance << 12);
	else
		r->immediate = address + distance;
	return true;
}

static bool select_add(uint32_t word, struct isa_record *r)
{
	r->op = AARCH64_OP_ADD_IMMEDIATE;
	r->rn = aarch64_or_sp(word, 5);
	r->immediate = (uint64_t)aarch64_field(word, 10, 12) << (word >> 22 & 1 ? 12 : 0);
	r->attributes = word >> 30 & 1 ? AARCH64_SUBTRACTS : 0;
	if (word >> 29 & 1)
		r->attributes |= AARCH64_SETS_FLAGS;
	else
		r->rd = aarch64_or_sp(word, 0);
	return true;
}

static bool select_logic(uint32_t word, struct isa_record *r)
{
	r->op = AARCH64_OP_LOGIC_IMMEDIATE;
	r->variant = (uint8_t)aarch64_field(word, 29, 2);
	if (r->variant != AARCH64_ANDS)
		r->rd = aarch64_or_sp(word, 0);
	return aarch64_constant_of_mask(word, &r->immediate);
}

static bool select_wide(uint32_t word, struct isa_record *r)
{
	unsigned shift = aarch64_field(word, 21, 2) * 16;

	if (shift >= r->size * 8u)
		return false;
	r->immediate = (uint64_t)aarch64_field(word, 5, 16) << shift;
	switch (word >> 29 & 3) {
	case 0:
		r->op = AARCH64_OP_CONSTANT;
		r->immediate = ~r->immediate;
		return true;
	case 2:
		r->op = AARCH64_OP_CONSTANT;
		return true;
	case 3:
		r->op = AARCH64_OP_INSERT_CONSTANT;
		r->shift = (uint8_t)shift;
		return true;
	}
	return false;
}

static bool select_field(uint32_t word, struct isa_record *r)
{
	r->op = AARCH64_OP_FIELD;
	r->variant = (uint8_t)aarch64_field(word, 29, 2);
	r->shift = (uint8_t)aarch64_field(word, 16, 6);	 /* immr */
	r->extend = (uint8_t)aarch64_field(word, 10, 6); /* imms */
	return r->variant <= AARCH64_UBFM && word >> 31 == (word >> 22 & 1) &&
	       r->shift < r->size * 8 && r->extend < r->size * 8;
}

static bool select_extract(uint32_t word, struct isa_record *r)
{
	r->op = AARCH64_OP_EXTRACT;
	r->shift = (uint8_t)aarch64_field(word, 10, 6);
	return !(word >> 29 & 3) && !(word >> 21 & 1) && word >> 31 == (word >> 22 & 1) &&
	       r->shift < r->size * 8;
}

bool aarch64_select_immediate(uint32_t word, uint64_t address, struct isa_record *r)
{
	r->size = word >> 31 ? 8 : 4;
	r->rd = aarch64_or_zero(word, 0);
	r->rn = aarch64_or_zero(word, 5);
	r->rm = aarch64_or_zero(word, 16);
	switch (word >> 23 & 7) {
	case 0:
	case 1:
		return select_address(word, address, r);
	case 2:
		return select_add(word, r);
	case 3: /* addg, subg: with tags */
		r->op = AARCH64_OP_FORGET;
		r->rd = aarch64_or_sp(word, 0);
		return word >> 31;
	case 4:
		return select_logic(word, r);
	case 5:
		return select_wide(word, r);
	case 6:
		return select_field(word, r);
	}
	return select_extract(word, r);
}
