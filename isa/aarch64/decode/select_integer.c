/* SPDX-License-Identifier: MIT */
/* Data processing of general registers: Arm ARM, C4.1.92 and C4.1.95. */
#include "isa/aarch64/operand.h"

/* ---- with an immediate --------------------------------------------------------------------- */

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

static bool select_add_constant(uint32_t word, struct isa_record *r)
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

/* The constant of logical instructions: a run of ones, rotated, repeated; false if the encoding is
 * none (Arm ARM, DecodeBitMasks). */
static bool constant_of_mask(uint32_t word, uint64_t *constant)
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

static bool select_logic_constant(uint32_t word, struct isa_record *r)
{
	r->op = AARCH64_OP_LOGIC_IMMEDIATE;
	r->variant = (uint8_t)aarch64_field(word, 29, 2);
	if (r->variant != AARCH64_ANDS)
		r->rd = aarch64_or_sp(word, 0);
	return constant_of_mask(word, &r->immediate);
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
		return select_add_constant(word, r);
	case 3: /* addg, subg: with tags */
		r->op = AARCH64_OP_FORGET;
		r->rd = aarch64_or_sp(word, 0);
		return word >> 31;
	case 4:
		return select_logic_constant(word, r);
	case 5:
		return select_wide(word, r);
	case 6:
		return select_field(word, r);
	}
	return select_extract(word, r);
}

/* ---- with registers ------------------------------------------------------------------------ */

static bool select_logic(uint32_t word, struct isa_record *r)
{
	r->op = AARCH64_OP_LOGIC;
	r->variant = (uint8_t)aarch64_field(word, 29, 2);
	r->attributes = word >> 21 & 1 ? AARCH64_INVERTS : 0;
	r->extend = (uint8_t)aarch64_field(word, 22, 2); /* how it is shifted */
	r->shift = (uint8_t)aarch64_field(word, 10, 6);
	return r->shift < r->size * 8;
}

static void set_arithmetic(uint32_t word, struct isa_record *r)
{
	r->attributes = (word >> 30 & 1 ? AARCH64_SUBTRACTS : 0) |
			(word >> 29 & 1 ? AARCH64_SETS_FLAGS : 0);
}

static bool select_add(uint32_t word, struct isa_record *r)
{
	set_arithmetic(word, r);
	r->extend = (uint8_t)aarch64_field(word, 22, 2);
	r->shift = (uint8_t)aarch64_field(word, 10, 6);
	r->op = AARCH64_OP_ADD;
	return r->extend != AARCH64_ROR && r->shift < r->size * 8;
}

static bool select_add_extended(uint32_t word, struct isa_record *r)
{
	set_arithmetic(word, r);
	r->extend = (uint8_t)aarch64_field(word, 13, 3);
	r->shift = (uint8_t)aarch64_field(word, 10, 3);
	r->op = AARCH64_OP_ADD_EXTENDED;
	r->rn = aarch64_or_sp(word, 5);
	if (!(r->attributes & AARCH64_SETS_FLAGS))
		r->rd = aarch64_or_sp(word, 0);
	return r->shift <= 4 && !(word >> 22 & 3);
}

/* adc, sbc; and those that take flags from a register */
static bool select_with_carry(uint32_t word, struct isa_record *r)
{
	set_arithmetic(word, r);
	r->op = AARCH64_OP_ADD_CARRY;
	if (!aarch64_field(word, 10, 6))
		return true;
	r->op = AARCH64_OP_FORGET_FLAGS; /* rmif, setf8, setf16 */
	return (word >> 29 & 3) == 1 &&
	       (aarch64_field(word, 10, 5) == 1 || aarch64_field(word, 10, 4) == 2);
}

static bool select_compare(uint32_t word, struct isa_record *r)
{
	set_arithmetic(word, r);
	r->variant = (uint8_t)aarch64_field(word, 12, 4);
	r->shift = (uint8_t)aarch64_field(word, 0, 4); /* the flags if the condition fails */
	r->immediate = aarch64_field(word, 16, 5);
	r->op = word >> 11 & 1 ? AARCH64_OP_COMPARE_IMMEDIATE : AARCH64_OP_COMPARE;
	return (word >> 29 & 1) && !(word >> 10 & 1) && !(word >> 4 & 1);
}

static bool select_select(uint32_t word, struct isa_record *r)
{
	r->op = AARCH64_OP_SELECT;
	r->variant = (uint8_t)aarch64_field(word, 12, 4);
	r->extend = (uint8_t)((word >> 30 & 1) << 1 | (word >> 10 & 1)); /* enum aarch64_select */
	return !(word >> 29 & 1) && !(word >> 11 & 1);
}

static bool select_two_sources(uint32_t word, struct isa_record *r)
{
	unsigned opcode = aarch64_field(word, 10, 6);

	if (word >> 29 & 1) { /* subps */
		r->op = AARCH64_OP_UNMODELLED;
		return false;
	}
	switch (opcode) {
	case 2: /* udiv, sdiv */
	case 3:
		r->op = AARCH64_OP_DIVIDE;
		r->attributes = opcode == 3 ? AARCH64_SIGNED : 0;
		return true;
	case 8 ... 11:
		r->op = AARCH64_OP_SHIFT;
		r->variant = opcode & 3;
		return true;
	case 16 ... 23: /* crc32, crc32c: of 1, 2, 4 or 8 bytes */
		r->op = AARCH64_OP_CRC32;
		r->variant = opcode >> 2 & 1;
		r->bytes = (uint8_t)(1u << (opcode & 3));
		r->size = 4;
		return (opcode & 3) == 3 ? word >> 31 : !(word >> 31);
	}
	r->op = AARCH64_OP_FORGET; /* subp, irg, gmi, pacga, smax ... */
	if (opcode == 4)
		r->rd = aarch64_or_sp(word, 0);
	return true;
}

/* pacia ... xpacd: of rd */
static bool select_pointer(uint32_t word, struct isa_record *r)
{
	unsigned opcode = aarch64_field(word, 10, 6), kind = opcode >> 2 & 1;

	if (opcode >= 16) /* xpaci, xpacd */
		r->op = AARCH64_OP_STRIP;
	else
		r->op = kind ? AARCH64_OP_STRIP : AARCH64_OP_SIGN;
	return word >> 31 && opcode < 18;
}

static bool select_one_source(uint32_t word, struct isa_record *r)
{
	unsigned opcode = aarch64_field(word, 10, 6);

	if (word >> 29 & 1)
		return false;
	if (aarch64_field(word, 16, 5) == 1)
		return select_pointer(word, r);
	if (aarch64_field(word, 16, 5))
		return false;
	switch (opcode) {
	case 0: /* rbit */
		r->op = AARCH64_OP_REVERSE;
		r->variant = 0;
		return true;
	case 1: /* rev16, rev32 or rev, rev: within as many bytes */
	case 2:
	case 3:
		r->op = AARCH64_OP_REVERSE;
		r->variant = (uint8_t)(1u << opcode);
		return r->variant <= r->size;
	case 4:
	case 5:
		r->op = AARCH64_OP_COUNT_BITS;
		r->variant = opcode & 1;
		return true;
	}
	r->op = AARCH64_OP_FORGET; /* ctz, cnt, abs */
	return true;
}

static bool select_three_sources(uint32_t word, struct isa_record *r)
{
	r->attributes = (word >> 23 & 1 ? 0 : AARCH64_SIGNED) |
			(word >> 15 & 1 ? AARCH64_SUBTRACTS : 0);
	switch (word >> 21 & 7) {
	case 0:
		r->op = AARCH64_OP_MULTIPLY;
		return true;
	case 1:
	case 5:
		r->op = AARCH64_OP_MULTIPLY_LONG;
		return word >> 31;
	case 2:
	case 6:
		r->op = AARCH64_OP_MULTIPLY_HIGH;
		return word >> 31 && !(word >> 15 & 1);
	}
	return false;
}

bool aarch64_select_register(uint32_t word, struct isa_record *r)
{
	r->size = word >> 31 ? 8 : 4;
	r->rd = aarch64_or_zero(word, 0);
	r->rn = aarch64_or_zero(word, 5);
	r->rm = aarch64_or_zero(word, 16);
	r->ra = aarch64_or_zero(word, 10);
	switch (aarch64_field(word, 24, 5)) {
	case 0x0a:
		return select_logic(word, r);
	case 0x0b:
		return word >> 21 & 1 ? select_add_extended(word, r) : select_add(word, r);
	case 0x1b:
		return select_three_sources(word, r);
	}
	switch (aarch64_field(word, 21, 4)) {
	case 0:
		return select_with_carry(word, r);
	case 2:
		return select_compare(word, r);
	case 4:
		return select_select(word, r);
	case 6:
		return word >> 30 & 1 ? select_one_source(word, r) : select_two_sources(word, r);
	}
	return false;
}
