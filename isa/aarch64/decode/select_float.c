/* SPDX-License-Identifier: MIT */
/* Scalar floating point: Arm ARM, C4.1.96. Half precision is not computed. */
#include "isa/aarch64/op.h"
#include "isa/aarch64/operand.h"

static bool select_one_source(uint32_t word, struct isa_record *r)
{
	unsigned opcode = aarch64_field(word, 15, 6);

	r->op = AARCH64_OP_FLOAT_ONE;
	switch (opcode) {
	case 0 ... 3:  /* fmov, fabs, fneg, fsqrt */
	case 8 ... 12: /* frintn, p, m, z, a */
	case 14:       /* frintx, frinti */
	case 15:
		r->variant = (uint8_t)opcode;
		return true;
	case 4: /* fcvt to single, to double */
	case 5:
		r->op = AARCH64_OP_FLOAT_CONVERT;
		r->bytes = opcode == 5 ? 8 : 4;
		return r->bytes != r->element;
	}
	return false;
}

static bool select_general(uint32_t word, struct isa_record *r)
{
	unsigned mode = aarch64_field(word, 19, 2), opcode = aarch64_field(word, 16, 3);

	r->size = word >> 31 ? 8 : 4;
	if (opcode == 2 || opcode == 3) { /* scvtf, ucvtf */
		r->op = AARCH64_OP_FLOAT_FROM_INTEGER;
		r->rn = aarch64_or_zero(word, 5);
		r->attributes = opcode & 1 ? 0 : AARCH64_SIGNED;
		return mode == 0;
	}
	if (opcode == 7) { /* fmov to a vector: the low part of v0 or v0.d[1] */
		r->op = mode ? AARCH64_OP_PERMUTE_INSERT_GENERAL
			     : AARCH64_OP_PERMUTE_DUPLICATE_GENERAL;
		r->rn = aarch64_or_zero(word, 5);
		r->element = r->size;
		r->shift = (uint8_t)mode;
		r->attributes = AARCH64_SCALAR;
		return true;
	}
	r->rd = aarch64_or_zero(word, 0);
	if (opcode == 6) { /* and from one; fjcvtzs */
		r->op = mode == 3 ? AARCH64_OP_FORGET : AARCH64_OP_PERMUTE_EXTRACT;
		r->element = r->size;
		r->shift = (uint8_t)mode;
		return true;
	}
	r->op = AARCH64_OP_FLOAT_TO_INTEGER;
	r->variant = opcode >= 4 ? 4 : (uint8_t)mode; /* n p m z a */
	r->attributes = opcode & 1 ? 0 : AARCH64_SIGNED;
	return opcode < 2 || mode == 0;
}

static bool select_fixed(uint32_t word, struct isa_record *r)
{
	unsigned opcode = aarch64_field(word, 16, 5);

	r->size = word >> 31 ? 8 : 4;
	r->shift = (uint8_t)(64 - aarch64_field(word, 10, 6));
	r->attributes = opcode & 1 ? 0 : AARCH64_SIGNED;
	if (opcode >> 1 == 12) { /* fcvtzs, fcvtzu */
		r->op = AARCH64_OP_FLOAT_TO_INTEGER;
		r->rd = aarch64_or_zero(word, 0);
		r->variant = 3;
		return true;
	}
	r->op = AARCH64_OP_FLOAT_FROM_INTEGER;
	r->rn = aarch64_or_zero(word, 5);
	return opcode >> 1 == 1;
}

/* Changes that rd alone does not tell, of half precision too. */
static void forget_result(uint32_t word, struct isa_record *r)
{
	r->op = AARCH64_OP_VECTOR_FORGET;
	if (aarch64_matches(word, 0x7f20fc00, 0x1e200000) ||
	    aarch64_matches(word, 0x7f200000, 0x1e000000)) {
		unsigned opcode = aarch64_field(word, 16, 3);

		if (opcode == 2 || opcode == 3 || opcode == 7)
			return;
		r->op = AARCH64_OP_FORGET;
		r->rd = aarch64_or_zero(word, 0);
	} else if (aarch64_matches(word, 0xff20fc00, 0x1e202000) ||
		   aarch64_matches(word, 0xff200c00, 0x1e200400)) {
		r->op = AARCH64_OP_FORGET_FLAGS;
	}
}

static bool select_computed(uint32_t word, struct isa_record *r)
{
	if (aarch64_matches(word, 0x7f20fc00, 0x1e200000))
		return select_general(word, r);
	if (aarch64_matches(word, 0x7f200000, 0x1e000000))
		return select_fixed(word, r);
	if (word >> 31)
		return false;
	if (aarch64_matches(word, 0xff000000, 0x1f000000)) {
		r->op = AARCH64_OP_FLOAT_FUSED;
		r->variant = (uint8_t)((word >> 21 & 1) << 1 | (word >> 15 & 1));
		return true;
	}
	if (aarch64_matches(word, 0xff207c00, 0x1e204000))
		return select_one_source(word, r);
	if (aarch64_matches(word, 0xff20fc07, 0x1e202000)) {
		r->op = AARCH64_OP_FLOAT_COMPARE;
		r->attributes = word >> 3 & 1 ? AARCH64_INVERTS : 0; /* with zero */
		return true;
	}
	if (aarch64_matches(word, 0xff201fe0, 0x1e201000)) {
		r->op = AARCH64_OP_VECTOR_CONSTANT;
		r->size = r->element;
		r->immediate = aarch64_constant_of_float(aarch64_field(word, 13, 8), r->element);
		return true;
	}
	r->variant = (uint8_t)aarch64_field(word, 12, 4); /* a condition, or which one it is */
	switch (word >> 10 & 3) {
	case 1:
		r->op = AARCH64_OP_FLOAT_COMPARE_IF;
		r->shift = (uint8_t)aarch64_field(word, 0, 4);
		return true;
	case 2:
		r->op = AARCH64_OP_FLOAT_TWO;
		return r->variant <= 8;
	case 3:
		r->op = AARCH64_OP_FLOAT_SELECT;
		return true;
	}
	return false;
}

bool aarch64_select_float(uint32_t word, struct isa_record *r)
{
	struct isa_record found = *r;
	unsigned type = aarch64_field(word, 22, 2);

	found.rn = aarch64_or_sp(word, 5);
	found.rm = aarch64_or_sp(word, 16);
	found.ra = aarch64_or_sp(word, 10);
	found.element = type == 1 ? 8 : 4;
	/* type 2 is a move of v0.d[1] only, 3 half precision */
	if ((type < 2 || aarch64_matches(word, 0xfffefc00, 0x9eae0000)) &&
	    select_computed(word, &found))
		*r = found;
	else
		forget_result(word, r);
	return true;
}
