/* SPDX-License-Identifier: MIT */
/* Scalable vectors (SVE): Arm ARM, C4.1.2, as far as vector/scalable.c evaluates them. */
#include "isa/aarch64/operand.h"

#define PATTERN_NONE 14u /* unspecified: no elements */
#define PATTERN_ALL  31u

/* cntb to cntd, incb to incd, decb to decd */
static bool select_count(uint32_t word, struct isa_record *r)
{
	bool adds = word >> 20 & 1;

	r->op = AARCH64_OP_SCALABLE_ADD_COUNT;
	r->rd = aarch64_or_zero(word, 0);
	r->rn = adds ? r->rd : AARCH64_ZERO;
	r->immediate = aarch64_field(word, 16, 4) + 1;
	if (adds && word >> 10 & 1)
		r->immediate = -r->immediate;
	r->variant = (uint8_t)aarch64_field(word, 5, 5);
	return true;
}

/* addvl, addpl, rdvl */
static bool select_length(uint32_t word, struct isa_record *r)
{
	bool reads = word >> 23 & 1;

	r->op = AARCH64_OP_SCALABLE_ADD_COUNT;
	r->rd = reads ? aarch64_or_zero(word, 0) : aarch64_or_sp(word, 0);
	r->rn = reads ? AARCH64_ZERO : aarch64_or_sp(word, 16);
	r->immediate = aarch64_sign_extend(aarch64_field(word, 5, 6), 6);
	r->element = word >> 22 & 1 && !reads ? 8 : 1; /* a predicate's length is an eighth */
	r->variant = PATTERN_ALL;
	return true;
}

/* ptrue, ptrues, pfalse */
static bool select_true(uint32_t word, struct isa_record *r, unsigned pattern)
{
	r->op = AARCH64_OP_SCALABLE_TRUE;
	r->rd = word & 15;
	r->variant = (uint8_t)pattern;
	if (word >> 16 & 1)
		r->attributes = AARCH64_SETS_FLAGS;
	return true;
}

static bool select_while(uint32_t word, struct isa_record *r)
{
	r->op = AARCH64_OP_SCALABLE_WHILE;
	r->rd = word & 15;
	r->rn = aarch64_or_zero(word, 5);
	r->rm = aarch64_or_zero(word, 16);
	r->size = word >> 12 & 1 ? 8 : 4;
	r->attributes = AARCH64_SETS_FLAGS;
	if (!(word >> 11 & 1))
		r->attributes |= AARCH64_SIGNED;
	r->variant = word >> 4 & 1;
	return true;
}

/* @log2 of an element's bytes; @indexed: by rm, else by a number of vectors */
static bool select_access(uint32_t word, struct isa_record *r, enum aarch64_op op, unsigned log2,
			  bool indexed)
{
	r->op = (uint16_t)op;
	r->rd = word & 31;
	r->rn = aarch64_or_sp(word, 5);
	r->rm = aarch64_or_zero(word, 16);
	r->ra = (uint8_t)aarch64_field(word, 10, 3);
	r->element = (uint8_t)(1u << log2);
	if (!indexed) {
		r->immediate = aarch64_sign_extend(aarch64_field(word, 16, 4), 4);
		return true;
	}
	r->attributes = AARCH64_INDEXED;
	r->extend = AARCH64_UXTX;
	r->shift = (uint8_t)log2;
	return r->rm != AARCH64_ZERO;
}

/* dtype is five times the size's logarithm where elements are as wide as those in memory. */
static bool select_load(uint32_t word, struct isa_record *r, bool indexed)
{
	unsigned dtype = aarch64_field(word, 21, 4);

	return dtype % 5 == 0 &&
	       select_access(word, r, AARCH64_OP_SCALABLE_LOAD, dtype / 5, indexed);
}

static bool select_store(uint32_t word, struct isa_record *r, bool indexed)
{
	unsigned log2 = aarch64_field(word, 23, 2);

	return log2 == aarch64_field(word, 21, 2) &&
	       select_access(word, r, AARCH64_OP_SCALABLE_STORE, log2, indexed);
}

bool aarch64_select_scalable(uint32_t word, struct isa_record *r)
{
	r->element = (uint8_t)(1u << aarch64_field(word, 22, 2));
	if (aarch64_matches(word, 0xff30fc00, 0x0420e000) ||
	    aarch64_matches(word, 0xff30f800, 0x0430e000))
		return select_count(word, r);
	if (aarch64_matches(word, 0xffa0f800, 0x04205000) ||
	    aarch64_matches(word, 0xfffff800, 0x04bf5000))
		return select_length(word, r);
	if (aarch64_matches(word, 0xff3efc10, 0x2518e000))
		return select_true(word, r, aarch64_field(word, 5, 5));
	if (aarch64_matches(word, 0xfffffff0, 0x2518e400))
		return select_true(word, r, PATTERN_NONE);
	if (aarch64_matches(word, 0xff20e400, 0x25200400))
		return select_while(word, r);
	if (aarch64_matches(word, 0xfe10e000, 0xa400a000))
		return select_load(word, r, false);
	if (aarch64_matches(word, 0xfe00e000, 0xa4004000))
		return select_load(word, r, true);
	if (aarch64_matches(word, 0xfe10e000, 0xe400e000))
		return select_store(word, r, false);
	if (aarch64_matches(word, 0xfe00e000, 0xe4004000))
		return select_store(word, r, true);
	return false;
}
