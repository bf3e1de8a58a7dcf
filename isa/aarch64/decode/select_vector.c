/* SPDX-License-Identifier: MIT */
/* Vectors of integers: Arm ARM, C4.1.96 (Advanced SIMD). What is not found here changes rd only. */
#include "isa/aarch64/operand.h"
#include "isa/aarch64/vector/lanes.h"

/* An 8-bit constant: sign, 3 bits of exponent, 4 of fraction (Arm ARM, VFPExpandImm). */
static uint64_t constant_of_float(uint64_t eight, unsigned bytes)
{
	unsigned exponent_bits = bytes == 8 ? 11 : 8, fraction_bits = bytes * 8 - 1 - exponent_bits;
	uint64_t repeated = eight >> 6 & 1, exponent;

	exponent = (repeated ^ 1) << (exponent_bits - 1) | (eight >> 4 & 3);
	if (repeated)
		exponent |= ((UINT64_C(1) << (exponent_bits - 3)) - 1) << 2;
	return (eight >> 7) << (bytes * 8 - 1) | exponent << fraction_bits |
	       (eight & 15) << (fraction_bits - 4);
}

/* ---- scalar floating point ----------------------------------------------------------------- */

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
		r->immediate = constant_of_float(aarch64_field(word, 13, 8), r->element);
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

static bool select_float(uint32_t word, struct isa_record *r)
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

/* ---- vectors ------------------------------------------------------------------------------- */

#define NONE AARCH64_VECTOR_NO_KERNEL /* 0: what is not in a table */

/* By opcode, then U. */
static const uint8_t same_kernels[32][2] = {
	[0x05] = {NONE, AARCH64_VECTOR_UQSUB},
	[0x06] = {AARCH64_VECTOR_CMGT, AARCH64_VECTOR_CMHI},
	[0x07] = {AARCH64_VECTOR_CMGE, AARCH64_VECTOR_CMHS},
	[0x08] = {AARCH64_VECTOR_SSHL, AARCH64_VECTOR_USHL},
	[0x0c] = {AARCH64_VECTOR_SMAX, AARCH64_VECTOR_UMAX},
	[0x0d] = {AARCH64_VECTOR_SMIN, AARCH64_VECTOR_UMIN},
	[0x0e] = {AARCH64_VECTOR_SABD, AARCH64_VECTOR_UABD},
	[0x0f] = {AARCH64_VECTOR_SABA, AARCH64_VECTOR_UABA},
	[0x10] = {AARCH64_VECTOR_ADD, AARCH64_VECTOR_SUB},
	[0x11] = {AARCH64_VECTOR_CMTST, AARCH64_VECTOR_CMEQ},
	[0x12] = {AARCH64_VECTOR_MLA, AARCH64_VECTOR_MLS},
	[0x13] = {AARCH64_VECTOR_MUL, NONE},
	/* pairwise */
	[0x14] = {AARCH64_VECTOR_SMAX, AARCH64_VECTOR_UMAX},
	[0x15] = {AARCH64_VECTOR_SMIN, AARCH64_VECTOR_UMIN},
	[0x17] = {AARCH64_VECTOR_ADD, NONE},
};

static bool select_same(uint32_t word, struct isa_record *r)
{
	unsigned opcode = aarch64_field(word, 11, 5), u = word >> 29 & 1;
	bool pairwise = opcode == 0x14 || opcode == 0x15 || opcode == 0x17;

	r->op = pairwise ? AARCH64_OP_VECTOR_PAIRWISE : AARCH64_OP_VECTOR_EACH;
	if (opcode == 3) {
		r->variant = (uint8_t)(AARCH64_VECTOR_AND + u * 4 + aarch64_field(word, 22, 2));
		r->element = 8;
		return true;
	}
	r->variant = same_kernels[opcode][u];
	return r->variant != NONE && !(pairwise && r->attributes & AARCH64_SCALAR);
}

static bool select_constant_kernel(struct isa_record *r, enum aarch64_kernel kernel)
{
	r->op = AARCH64_OP_VECTOR_EACH_CONSTANT;
	r->variant = (uint8_t)kernel;
	return true;
}

static bool select_reverse(uint32_t word, struct isa_record *r, unsigned opcode)
{
	unsigned u = word >> 29 & 1;

	r->op = AARCH64_OP_PERMUTE_REVERSE;
	r->bytes = opcode ? 2 : u ? 4 : 8;
	return r->bytes > r->element && !(opcode && u);
}

static bool select_narrow(struct isa_record *r, unsigned shift, bool rounds)
{
	r->op = AARCH64_OP_VECTOR_NARROW;
	r->shift = (uint8_t)shift;
	r->immediate = rounds;
	return r->element < 8;
}

static bool select_long_pairs(uint32_t word, struct isa_record *r, bool adds)
{
	r->op = AARCH64_OP_VECTOR_ADD_LONG_PAIRS;
	r->attributes = word >> 29 & 1 ? 0 : AARCH64_SIGNED;
	r->variant = adds;
	return r->element < 8;
}

/* cnt, not, rbit: of bytes */
static bool select_bytes(uint32_t word, struct isa_record *r)
{
	unsigned size = aarch64_field(word, 22, 2);
	enum aarch64_kernel kernel = AARCH64_VECTOR_CNT;

	if (word >> 29 & 1)
		kernel = size ? AARCH64_VECTOR_RBIT : AARCH64_VECTOR_NOT;
	r->element = 1;
	return size <= (word >> 29 & 1) && select_constant_kernel(r, kernel);
}

/* Two registers; scalars have only some. */
static bool select_misc(uint32_t word, struct isa_record *r)
{
	unsigned opcode = aarch64_field(word, 12, 5);
	bool u = word >> 29 & 1, scalar = r->attributes & AARCH64_SCALAR;

	switch (opcode) {
	case 0x08:
		return select_constant_kernel(r, u ? AARCH64_VECTOR_CMGE : AARCH64_VECTOR_CMGT);
	case 0x09:
		return select_constant_kernel(r, u ? AARCH64_VECTOR_CMLE : AARCH64_VECTOR_CMEQ);
	case 0x0a:
		return !u && select_constant_kernel(r, AARCH64_VECTOR_CMLT);
	case 0x0b:
		return select_constant_kernel(r, u ? AARCH64_VECTOR_NEG : AARCH64_VECTOR_ABS);
	}
	if (scalar)
		return false;
	switch (opcode) {
	case 0x00:
	case 0x01:
		return select_reverse(word, r, opcode);
	case 0x02:
		return select_long_pairs(word, r, false);
	case 0x04:
		return select_constant_kernel(r, u ? AARCH64_VECTOR_CLZ : AARCH64_VECTOR_CLS);
	case 0x05:
		return select_bytes(word, r);
	case 0x06:
		return select_long_pairs(word, r, true);
	case 0x12: /* xtn */
		return !u && select_narrow(r, 0, false);
	case 0x13: /* shll */
		r->op = AARCH64_OP_VECTOR_WIDEN;
		r->variant = AARCH64_VECTOR_SHL;
		r->registers = 2;
		r->shift = (uint8_t)(r->element * 8);
		return u && r->element < 8;
	}
	return false;
}

static bool select_across(uint32_t word, struct isa_record *r)
{
	bool u = word >> 29 & 1;

	r->op = AARCH64_OP_VECTOR_ACROSS;
	r->attributes = u ? 0 : AARCH64_SIGNED;
	r->bytes = r->element;
	switch (aarch64_field(word, 12, 5)) {
	case 0x03:
		r->variant = AARCH64_VECTOR_ADD;
		r->bytes = (uint8_t)(r->element * 2);
		return r->element < 8;
	case 0x0a:
		r->variant = u ? AARCH64_VECTOR_UMAX : AARCH64_VECTOR_SMAX;
		return true;
	case 0x1a:
		r->variant = u ? AARCH64_VECTOR_UMIN : AARCH64_VECTOR_SMIN;
		return true;
	case 0x1b:
		r->variant = AARCH64_VECTOR_ADD;
		return !u;
	}
	return false;
}

/* Three registers of different widths. */
static bool select_different(uint32_t word, struct isa_record *r)
{
	static const uint8_t kernels[8][2] = {
		{AARCH64_VECTOR_ADD, AARCH64_VECTOR_ADD},
		{AARCH64_VECTOR_SUB, AARCH64_VECTOR_SUB},
		{NONE, AARCH64_VECTOR_SABA},
		{NONE, AARCH64_VECTOR_SABD},
		{AARCH64_VECTOR_MLA, NONE},
		{AARCH64_VECTOR_MLS, NONE},
		{AARCH64_VECTOR_MUL, NONE},
		{NONE, NONE},
	};
	unsigned opcode = aarch64_field(word, 12, 4);
	bool u = word >> 29 & 1;

	if (r->element == 8)
		return false;
	if (opcode == 4 || opcode == 6) {
		r->op = AARCH64_OP_VECTOR_ADD_NARROW;
		r->attributes = opcode == 6 ? AARCH64_SUBTRACTS : 0;
		r->immediate = u ? UINT64_C(1) << (r->element * 8 - 1) : 0;
		return true;
	}
	r->op = AARCH64_OP_VECTOR_WIDEN;
	r->attributes = u ? 0 : AARCH64_SIGNED;
	r->variant = kernels[opcode >> 1][opcode & 1];
	if (opcode < 4)
		r->registers = opcode & 1;   /* the first operand is wide */
	else if (opcode == 5 || opcode == 7) /* sabal, sabdl: unsigned ones need no sign */
		r->variant = (uint8_t)(r->variant + u);
	return r->variant != NONE;
}

static bool select_shift_narrow(struct isa_record *r, unsigned immediate, bool rounds)
{
	return select_narrow(r, 16 * r->element - immediate, rounds);
}

static bool select_shift_right(struct isa_record *r, unsigned immediate, enum aarch64_kernel kernel)
{
	r->immediate = 16u * r->element - immediate;
	return select_constant_kernel(r, kernel);
}

static bool select_shift_left(struct isa_record *r, unsigned immediate, enum aarch64_kernel kernel)
{
	r->immediate = immediate - 8u * r->element;
	return select_constant_kernel(r, kernel);
}

static bool select_shift(uint32_t word, struct isa_record *r)
{
	unsigned immediate = aarch64_field(word, 16, 7), opcode = aarch64_field(word, 11, 5);
	bool u = word >> 29 & 1, scalar = r->attributes & AARCH64_SCALAR;

	if (immediate < 8)
		return false;
	r->element = (uint8_t)(1u << (28 - __builtin_clz(immediate)));
	switch (opcode) {
	case 0x00:
		return select_shift_right(r, immediate,
					  u ? AARCH64_VECTOR_USHR : AARCH64_VECTOR_SSHR);
	case 0x02:
		return select_shift_right(r, immediate,
					  u ? AARCH64_VECTOR_USRA : AARCH64_VECTOR_SSRA);
	case 0x08:
		return u && select_shift_right(r, immediate, AARCH64_VECTOR_SRI);
	case 0x0a:
		return select_shift_left(r, immediate, u ? AARCH64_VECTOR_SLI : AARCH64_VECTOR_SHL);
	case 0x10:
		return !u && !scalar && select_shift_narrow(r, immediate, false);
	case 0x11:
		return !u && !scalar && select_shift_narrow(r, immediate, true);
	case 0x14: /* sshll, ushll */
		r->op = AARCH64_OP_VECTOR_WIDEN;
		r->attributes = u ? 0 : AARCH64_SIGNED;
		r->variant = AARCH64_VECTOR_SHL;
		r->registers = 2;
		r->shift = (uint8_t)(immediate - 8u * r->element);
		return !scalar && r->element < 8;
	}
	return false;
}

/* The 8 bits of a modified immediate as cmode and op say (Arm ARM, AdvSIMDExpandImm). */
static uint64_t expand(unsigned cmode, bool op, uint64_t eight)
{
	uint64_t v = 0;

	switch (cmode >> 1) {
	case 0 ... 3:
		return (eight << 8 * (cmode >> 1)) * UINT64_C(0x0000000100000001);
	case 4:
	case 5:
		return (eight << 8 * (cmode >> 1 & 1)) * UINT64_C(0x0001000100010001);
	case 6:
		v = cmode & 1 ? eight << 16 | 0xffff : eight << 8 | 0xff;
		return v * UINT64_C(0x0000000100000001);
	}
	if (cmode == 14 && !op)
		return eight * UINT64_C(0x0101010101010101);
	if (cmode == 14) {
		for (unsigned i = 0; i < 8; i++)
			v |= (eight >> i & 1 ? UINT64_C(0xff) : 0) << 8 * i;
		return v;
	}
	return op ? constant_of_float(eight, 8)
		  : constant_of_float(eight, 4) * UINT64_C(0x0000000100000001);
}

static bool select_modified(uint32_t word, struct isa_record *r)
{
	unsigned cmode = aarch64_field(word, 12, 4);
	bool op = word >> 29 & 1;
	uint64_t eight = aarch64_field(word, 16, 3) << 5 | aarch64_field(word, 5, 5);

	r->op = AARCH64_OP_VECTOR_CONSTANT;
	r->immediate = expand(cmode, op, eight);
	if (cmode < 12 && cmode & 1)
		r->variant = op ? 2 : 1; /* bic, orr */
	else if (op && cmode < 14)
		r->immediate = ~r->immediate; /* mvni */
	return !(word >> 11 & 1) && !(cmode == 15 && op && r->size == 8);
}

static bool select_copy(uint32_t word, struct isa_record *r)
{
	unsigned which = aarch64_field(word, 16, 5), kind = aarch64_field(word, 11, 4);
	unsigned size;

	if (!(which & 15))
		return false;
	size = (unsigned)__builtin_ctz(which);
	r->element = (uint8_t)(1u << size);
	r->shift = (uint8_t)(which >> (size + 1));
	if (word >> 29 & 1) {
		r->op = AARCH64_OP_PERMUTE_INSERT;
		r->immediate = kind >> size;
		return true;
	}
	switch (kind) {
	case 0:
		r->op = AARCH64_OP_PERMUTE_DUPLICATE;
		return true;
	case 1:
		r->op = AARCH64_OP_PERMUTE_DUPLICATE_GENERAL;
		r->rn = aarch64_or_zero(word, 5);
		return true;
	case 3:
		r->op = AARCH64_OP_PERMUTE_INSERT_GENERAL;
		r->rn = aarch64_or_zero(word, 5);
		return true;
	case 5: /* smov, umov */
	case 7:
		r->op = AARCH64_OP_PERMUTE_EXTRACT;
		r->rd = aarch64_or_zero(word, 0);
		r->attributes = kind == 5 ? AARCH64_SIGNED : 0;
		r->size = word >> 30 & 1 ? 8 : 4;
		return true;
	}
	return false;
}

static bool select_permute(uint32_t word, struct isa_record *r)
{
	r->op = AARCH64_OP_PERMUTE_MIX;
	r->variant = (uint8_t)aarch64_field(word, 12, 3);
	return r->variant & 3;
}

static bool select_table(uint32_t word, struct isa_record *r)
{
	r->op = AARCH64_OP_PERMUTE_TABLE;
	r->registers = (uint8_t)(aarch64_field(word, 13, 2) + 1);
	r->variant = word >> 12 & 1;
	return true;
}

static bool select_window(uint32_t word, struct isa_record *r)
{
	r->op = AARCH64_OP_PERMUTE_WINDOW;
	r->shift = (uint8_t)aarch64_field(word, 11, 4);
	return r->shift < r->size;
}

/* 0 Q U 01110 ... */
static bool select_packed(uint32_t word, struct isa_record *r)
{
	if (aarch64_matches(word, 0x9f200400, 0x0e200400))
		return select_same(word, r);
	if (aarch64_matches(word, 0x9f200c00, 0x0e200000))
		return select_different(word, r);
	if (aarch64_matches(word, 0x9f3e0c00, 0x0e200800))
		return select_misc(word, r);
	if (aarch64_matches(word, 0x9f3e0c00, 0x0e300800))
		return select_across(word, r);
	if (aarch64_matches(word, 0x9fe08400, 0x0e000400))
		return select_copy(word, r);
	if (aarch64_matches(word, 0xbfe08c00, 0x0e000000))
		return select_table(word, r);
	if (aarch64_matches(word, 0xbf208c00, 0x0e000800))
		return select_permute(word, r);
	if (aarch64_matches(word, 0xbfe08400, 0x2e000000))
		return select_window(word, r);
	if (aarch64_matches(word, 0x9ff80400, 0x0f000400))
		return select_modified(word, r);
	return aarch64_matches(word, 0x9f800400, 0x0f000400) && select_shift(word, r);
}

/* 01 U 11110 ...: of one lane */
static bool select_scalar(uint32_t word, struct isa_record *r)
{
	if (aarch64_matches(word, 0xffe0fc00, 0x5e000400)) {
		bool found = select_copy(word & ~(1u << 28), r);

		r->attributes = AARCH64_SCALAR;
		return found;
	}
	if (aarch64_matches(word, 0xfffffc00, 0x5ef1b800)) { /* addp: of both halves */
		r->op = AARCH64_OP_VECTOR_ACROSS;
		r->variant = AARCH64_VECTOR_ADD;
		r->element = r->bytes = 8;
		return true;
	}
	r->attributes = AARCH64_SCALAR;
	if (aarch64_matches(word, 0xdf200400, 0x5e200400))
		return r->element == 8 && select_same(word, r);
	if (aarch64_matches(word, 0xdf3e0c00, 0x5e200800))
		return r->element == 8 && select_misc(word, r);
	return aarch64_matches(word, 0xdf800400, 0x5f000400) && select_shift(word, r) &&
	       r->element == 8;
}

bool aarch64_select_vector(uint32_t word, struct isa_record *r)
{
	struct isa_record found = *r;

	r->op = AARCH64_OP_VECTOR_FORGET;
	r->rd = aarch64_or_sp(word, 0);
	if (aarch64_matches(word, 0x5f000000, 0x1e000000) ||
	    aarch64_matches(word, 0xff000000, 0x1f000000))
		return select_float(word, r);
	found.size = word >> 30 & 1 ? 16 : 8;
	found.rd = r->rd;
	found.rn = aarch64_or_sp(word, 5);
	found.rm = aarch64_or_sp(word, 16);
	found.element = (uint8_t)(1u << aarch64_field(word, 22, 2));
	if (word >> 31 == 0 &&
	    (word >> 28 & 1 ? select_scalar(word, &found) : select_packed(word, &found)))
		*r = found;
	return true;
}
