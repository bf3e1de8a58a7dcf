/* SPDX-License-Identifier: MIT */
/* Loads and stores: Arm ARM, C4.1.94. */
#include "isa/aarch64/operand.h"

/* ---- general registers --------------------------------------------------------------------- */

#define WORD_4 2 /* log2 of bytes, as the size field has it */
#define WORD_8 3

/* A write of the base register that is loaded or stored too is CONSTRAINED UNPREDICTABLE. */
static bool is_sound(const struct isa_record *r, bool pair)
{
	bool base = r->rd == r->rn || (pair && r->ra == r->rn);

	return !(r->attributes & AARCH64_BASE_CHANGES && base);
}

/* False where registers are the same that must not be. */
static bool select_exclusive_op(struct isa_record *r, bool load)
{
	bool pair = r->registers == 2;

	r->op = load ? AARCH64_OP_LOAD_EXCLUSIVE : AARCH64_OP_STORE_EXCLUSIVE;
	if (load)
		return !pair || r->rd != r->ra;
	return r->rm != r->rd && r->rm != r->rn && (!pair || r->rm != r->ra);
}

/* load-exclusive and its store, acquire and release, compare and swap:
 * size 001000 o2 L o1 Rs o0 Rt2 Rn Rt */
static bool select_exclusive(uint32_t word, struct isa_record *r)
{
	bool load = word >> 22 & 1;
	unsigned size = word >> 30;

	r->bytes = (uint8_t)(1u << size);
	r->size = size == WORD_8 ? 8 : 4;
	switch ((word >> 23 & 1) << 1 | (word >> 21 & 1)) {
	case 1:
		if (size < WORD_4) { /* casp */
			r->op = AARCH64_OP_COMPARE_SWAP_PAIR;
			r->bytes = r->size = size ? 8 : 4;
			return !(word >> 16 & 1) && !(word & 1) && aarch64_field(word, 10, 5) == 31;
		}
		r->registers = 2;
		return select_exclusive_op(r, load);
	case 0:
		r->registers = 1;
		return select_exclusive_op(r, load);
	case 2: /* ldar, stlr */
		r->op = load ? AARCH64_OP_LOAD : AARCH64_OP_STORE;
		return true;
	}
	r->op = AARCH64_OP_COMPARE_SWAP;
	return aarch64_field(word, 10, 5) == 31;
}

/* What size and opc of a load or store say. False: none. */
static bool set_access(uint32_t word, struct isa_record *r)
{
	unsigned size = word >> 30, opc = aarch64_field(word, 22, 2);

	r->bytes = (uint8_t)(1u << size);
	r->op = opc ? AARCH64_OP_LOAD : AARCH64_OP_STORE;
	r->size = size == WORD_8 || opc == 2 ? 8 : 4;
	r->attributes |= opc >= 2 ? AARCH64_SIGNED : 0;
	if (size == WORD_8 && opc == 2) /* prfm */
		r->op = AARCH64_OP_NOTHING;
	return opc < 2 || size < WORD_4 || (opc == 2 && size <= WORD_8);
}

static bool select_literal(uint32_t word, uint64_t address, struct isa_record *r)
{
	unsigned opc = word >> 30;

	r->op = opc == 3 ? AARCH64_OP_NOTHING : AARCH64_OP_LOAD; /* prfm */
	r->rn = AARCH64_ZERO;
	r->immediate = address + aarch64_sign_extend((uint64_t)aarch64_field(word, 5, 19) << 2, 21);
	r->bytes = opc == 1 ? 8 : 4;
	r->size = opc == 0 ? 4 : 8;
	r->attributes = opc == 2 ? AARCH64_SIGNED : 0;
	return true;
}

/* How the base register changes: 1 is post-index, 3 pre-index. */
static void set_index(unsigned mode, struct isa_record *r)
{
	if (mode == 1)
		r->attributes |= AARCH64_BASE_CHANGES | AARCH64_ACCESS_FIRST;
	else if (mode == 3)
		r->attributes |= AARCH64_BASE_CHANGES;
}

static bool select_pair(uint32_t word, struct isa_record *r)
{
	unsigned opc = word >> 30, mode = aarch64_field(word, 23, 2);
	bool load = word >> 22 & 1;

	r->op = load ? AARCH64_OP_LOAD_PAIR : AARCH64_OP_STORE_PAIR;
	r->bytes = opc == 2 ? 8 : 4;
	r->size = opc ? 8 : 4;
	r->immediate = aarch64_sign_extend(aarch64_field(word, 15, 7), 7) * r->bytes;
	set_index(mode, r);
	if (opc == 1) { /* ldpsw, stgp */
		r->attributes |= AARCH64_SIGNED;
		if (!load) {
			r->bytes = 8;
			r->immediate = aarch64_sign_extend(aarch64_field(word, 15, 7), 7) * 16;
		}
		if (!mode)
			return false;
	}
	return opc < 3 && is_sound(r, true) && !(load && r->rd == r->ra);
}

static bool select_atomic(uint32_t word, struct isa_record *r)
{
	unsigned size = word >> 30, opc = aarch64_field(word, 12, 3);

	r->bytes = (uint8_t)(1u << size);
	r->size = size == WORD_8 ? 8 : 4;
	if (!(word >> 15 & 1)) {
		r->op = AARCH64_OP_ATOMIC;
		r->variant = (uint8_t)opc;
		return true;
	}
	if (opc == 0) {
		r->op = AARCH64_OP_ATOMIC;
		r->variant = AARCH64_SWP;
		return true;
	}
	r->op = AARCH64_OP_LOAD; /* ldapr */
	return aarch64_matches(word, 0x00fffc00, 0x00bfc000);
}

/* ldraa, ldrab: the address is authenticated */
static bool select_authenticated(uint32_t word, struct isa_record *r)
{
	r->op = AARCH64_OP_FORGET;
	return word >> 30 == WORD_8 && !(word >> 11 & 1);
}

/* size 111 V 00 opc ... */
static bool select_one(uint32_t word, struct isa_record *r)
{
	if (word >> 21 & 1) {
		switch (word >> 10 & 3) {
		case 0:
			return select_atomic(word, r);
		case 2:
			r->attributes = AARCH64_INDEXED;
			r->extend = (uint8_t)aarch64_field(word, 13, 3);
			r->shift = (uint8_t)(word >> 12 & 1 ? word >> 30 : 0);
			return (r->extend & 2) && set_access(word, r);
		}
		return select_authenticated(word, r);
	}
	r->immediate = aarch64_sign_extend(aarch64_field(word, 12, 9), 9);
	set_index(aarch64_field(word, 10, 2), r);
	return set_access(word, r) && is_sound(r, false) &&
	       !(r->op == AARCH64_OP_NOTHING && word >> 10 & 1);
}

/* ldapur, stlur; then memory tags, of which only the loads and stores themselves matter */
static bool select_unscaled_ordered(uint32_t word, struct isa_record *r)
{
	r->immediate = aarch64_sign_extend(aarch64_field(word, 12, 9), 9);
	return !(word >> 21 & 1) && !(word >> 10 & 3) && set_access(word, r) &&
	       r->op != AARCH64_OP_NOTHING;
}

bool aarch64_select_memory(uint32_t word, uint64_t address, struct isa_record *r)
{
	r->rd = aarch64_or_zero(word, 0);
	r->rn = aarch64_or_sp(word, 5);
	r->rm = aarch64_or_zero(word, 16);
	r->ra = aarch64_or_zero(word, 10);
	if (aarch64_matches(word, 0x3f000000, 0x08000000))
		return select_exclusive(word, r);
	if (aarch64_matches(word, 0x3f000000, 0x19000000))
		return select_unscaled_ordered(word, r);
	if (aarch64_matches(word, 0x3f000000, 0x18000000))
		return select_literal(word, address, r);
	if (aarch64_matches(word, 0x3e000000, 0x28000000))
		return select_pair(word, r);
	if (aarch64_matches(word, 0x3f000000, 0x38000000))
		return select_one(word, r);
	if (!aarch64_matches(word, 0x3f000000, 0x39000000))
		return false;
	r->immediate = (uint64_t)aarch64_field(word, 10, 12) << (word >> 30);
	return set_access(word, r);
}

/* ---- vectors ------------------------------------------------------------------------------- */

/* size and opc: 1 to 16 bytes */
static bool set_vector_access(uint32_t word, struct isa_record *r)
{
	unsigned log2 = (word >> 23 & 1) << 2 | word >> 30;

	if (log2 > 4)
		return false;
	r->bytes = (uint8_t)(1u << log2);
	r->op = word >> 22 & 1 ? AARCH64_OP_VECTOR_LOAD : AARCH64_OP_VECTOR_STORE;
	return true;
}

static bool select_vector_one(uint32_t word, struct isa_record *r)
{
	if (!set_vector_access(word, r))
		return false;
	if (word >> 21 & 1) {
		r->attributes = AARCH64_INDEXED;
		r->extend = (uint8_t)aarch64_field(word, 13, 3);
		r->shift = word >> 12 & 1 ? (uint8_t)__builtin_ctz(r->bytes) : 0;
		return (r->extend & 2) && (word >> 10 & 3) == 2;
	}
	r->immediate = aarch64_sign_extend(aarch64_field(word, 12, 9), 9);
	set_index(aarch64_field(word, 10, 2), r);
	return (word >> 10 & 3) != 2;
}

static bool select_vector_pair(uint32_t word, struct isa_record *r)
{
	bool load = word >> 22 & 1;

	r->op = load ? AARCH64_OP_VECTOR_LOAD_MANY : AARCH64_OP_VECTOR_STORE_MANY;
	r->ra = (uint8_t)aarch64_field(word, 10, 5);
	r->registers = 2;
	r->bytes = (uint8_t)(4u << (word >> 30));
	r->immediate = aarch64_sign_extend(aarch64_field(word, 15, 7), 7) * r->bytes;
	set_index(aarch64_field(word, 23, 2), r);
	return word >> 30 < 3 && !(load && r->rd == r->ra);
}

static bool select_vector_literal(uint32_t word, uint64_t address, struct isa_record *r)
{
	r->op = AARCH64_OP_VECTOR_LOAD;
	r->rn = AARCH64_ZERO;
	r->immediate = address + aarch64_sign_extend((uint64_t)aarch64_field(word, 5, 19) << 2, 21);
	r->bytes = (uint8_t)(4u << (word >> 30));
	return word >> 30 < 3;
}

/* Behind the access the base is moved by rm, or by what was accessed where rm is 31. */
static void set_post_index(uint32_t word, struct isa_record *r, unsigned bytes)
{
	if (!(word >> 23 & 1))
		return;
	r->attributes |= AARCH64_BASE_CHANGES | AARCH64_ACCESS_FIRST;
	if (r->rm == AARCH64_ZERO) {
		r->immediate = bytes;
		return;
	}
	r->attributes |= AARCH64_INDEXED;
	r->extend = AARCH64_UXTX;
}

/* ld1 to ld4 of whole registers: the opcode says how many, and whether elements go in turn */
static bool select_structures(uint32_t word, struct isa_record *r)
{
	static const uint8_t registers[16] = {4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2};
	unsigned opcode = aarch64_field(word, 12, 4);
	bool load = word >> 22 & 1, turns = !(opcode & 3);

	r->bytes = word >> 30 & 1 ? 16 : 8;
	r->element = (uint8_t)(1u << aarch64_field(word, 10, 2));
	r->registers = registers[opcode];
	r->ra = (r->rd + 1) & 31;
	r->op = load ? AARCH64_OP_VECTOR_LOAD_MANY : AARCH64_OP_VECTOR_STORE_MANY;
	if (turns)
		r->op = load ? AARCH64_OP_VECTOR_LOAD_TURNS : AARCH64_OP_VECTOR_STORE_TURNS;
	set_post_index(word, r, r->registers * r->bytes);
	return r->registers && (!turns || r->element < 8 || r->bytes == 16);
}

/* One lane of 1 to 4 registers, or all lanes of them with the same */
static bool select_lane(uint32_t word, struct isa_record *r)
{
	unsigned opcode = aarch64_field(word, 13, 3), size = aarch64_field(word, 10, 2);
	unsigned q = word >> 30 & 1, s = word >> 12 & 1, at = q << 3 | s << 2 | size;
	bool load = word >> 22 & 1;

	r->registers = (uint8_t)((opcode & 1) << 1 | (word >> 21 & 1)) + 1;
	r->size = q ? 16 : 8;
	r->op = load ? AARCH64_OP_VECTOR_LOAD_LANE : AARCH64_OP_VECTOR_STORE_LANE;
	switch (opcode >> 1) {
	case 0:
		r->element = 1;
		r->shift = (uint8_t)at;
		break;
	case 1:
		r->element = 2;
		r->shift = (uint8_t)(at >> 1);
		if (size & 1)
			return false;
		break;
	case 2:
		r->element = size ? 8 : 4;
		r->shift = (uint8_t)(size ? q : at >> 2);
		if (size > 1 || (size && s))
			return false;
		break;
	case 3:
		r->element = (uint8_t)(1u << size);
		r->op = AARCH64_OP_VECTOR_LOAD_SAME;
		if (!load || s)
			return false;
		break;
	}
	r->variant = r->shift; /* the index is used by addresses too */
	r->shift = 0;
	set_post_index(word, r, r->registers * r->element);
	return true;
}

bool aarch64_select_vector_memory(uint32_t word, uint64_t address, struct isa_record *r)
{
	r->rd = aarch64_or_sp(word, 0);
	r->rn = aarch64_or_sp(word, 5);
	r->rm = aarch64_or_zero(word, 16);
	if (aarch64_matches(word, 0xbfbf0000, 0x0c000000) ||
	    aarch64_matches(word, 0xbfa00000, 0x0c800000))
		return select_structures(word, r);
	if (aarch64_matches(word, 0xbf9f0000, 0x0d000000) ||
	    aarch64_matches(word, 0xbf800000, 0x0d800000))
		return select_lane(word, r);
	if (aarch64_matches(word, 0x3f000000, 0x1c000000))
		return select_vector_literal(word, address, r);
	if (aarch64_matches(word, 0x3e000000, 0x2c000000))
		return select_vector_pair(word, r);
	if (aarch64_matches(word, 0x3f000000, 0x3c000000))
		return select_vector_one(word, r);
	if (!aarch64_matches(word, 0x3f000000, 0x3d000000) || !set_vector_access(word, r))
		return false;
	r->immediate = (uint64_t)aarch64_field(word, 10, 12) * r->bytes;
	return true;
}
