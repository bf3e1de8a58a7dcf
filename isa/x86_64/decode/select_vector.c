/* SPDX-License-Identifier: MIT */
/* The record of a vector instruction, from its row in the opcode table and the encoding's fields.
 */
#include "isa/x86_64/decode/layout.h"
#include "isa/x86_64/operand.h"

static unsigned row_prefix(const struct x86_opcode *o)
{
	if (o->repeat)
		return o->repeat == 0xf3 ? X86_ROW_F3 : X86_ROW_F2;
	return o->operand16 ? X86_ROW_66 : X86_ROW_NONE;
}

static unsigned row_encoding(const struct x86_opcode *o)
{
	return o->encoding == X86_LEGACY ? X86_ROW_LEGACY
	       : o->encoding == X86_VEX	 ? X86_ROW_VEX
					 : X86_ROW_EVEX;
}

static bool fits(const struct x86_row *row, const struct x86_layout *l, const struct isa_record *r)
{
	const struct x86_opcode *o = &l->opcode;
	unsigned w = o->rex >> 3 & 1;

	if (!(row->prefixes & row_prefix(o)) || !(row->encodings & row_encoding(o)))
		return false;
	if (row->w != X86_ROW_W_ANY && row->w != w && o->encoding != X86_LEGACY)
		return false;
	if (row->digit != X86_ROW_NO_DIGIT && row->digit != x86_layout_digit(l))
		return false;
	if ((row->flags & X86_ROW_MEMORY) && r->rm != X86_MEMORY)
		return false;
	return !(row->flags & X86_ROW_XMM) || r->size == 16;
}

static const struct x86_row *find_row(const struct x86_layout *l, const struct isa_record *r)
{
	const struct x86_row *end, *row = x86_opcode_vectors(l->opcode.map, l->opcode.opcode, &end);

	for (; row < end && row->opcode == l->opcode.opcode; row++) {
		if (fits(row, l, r))
			return row;
	}
	return NULL;
}

static unsigned row_bytes(unsigned code, unsigned size, const struct x86_opcode *o)
{
	bool w = o->rex & 8;

	switch (code) {
	case X86_ROW_FULL:
		return size;
	case X86_ROW_BY_TYPE:
		return row_prefix(o) & (X86_ROW_66 | X86_ROW_F2) ? 8 : 4;
	case X86_ROW_BY_W:
		return w ? 8 : 4;
	case X86_ROW_NARROW_BY_W:
		return w ? 2 : 1;
	case X86_ROW_HALF:
		return size / 2;
	case X86_ROW_QUARTER:
		return size / 4;
	case X86_ROW_EIGHTH:
		return size / 8;
	}
	return code;
}

/* Width in bytes of an opmask instruction. */
static unsigned opmask_bytes(const struct x86_row *row, const struct x86_opcode *o)
{
	bool w = o->rex & 8, p66 = o->operand16;

	if (row->op == X86_OP_OPMASK_SHIFT)
		return o->opcode & 1 ? (w ? 8 : 4) : (w ? 2 : 1);
	if (o->opcode == 0x4b) /* kunpck: of the result */
		return p66 ? 2 : w ? 8 : 4;
	if (o->repeat) /* kmov with a general register */
		return w ? 8 : 4;
	if (row->flags & X86_ROW_GENERAL)
		return p66 ? 1 : 2;
	return p66 ? (w ? 4 : 1) : (w ? 8 : 2);
}

/* The immediate for each 16 bytes of the vector, in 16 bits each. */
static uint64_t spread_immediate(const struct x86_row *row, const struct x86_layout *l,
				 const struct isa_record *r)
{
	unsigned immediate = (uint8_t)l->immediate;
	uint64_t out = 0;

	if (row->flags & X86_ROW_NO_IMMEDIATE)
		immediate = 0;
	if (row->op == X86_OP_PACKED && l->opcode.opcode == 0xc2 &&
	    l->opcode.encoding == X86_LEGACY)
		immediate &= 7; /* VEX has more predicates */
	if (row->flags & X86_ROW_SHIFT)
		immediate |= x86_layout_digit(l) << 8;
	if ((row->flags & X86_ROW_FLAG_SPECIAL) && row->op == X86_OP_PACKED && r->rm == X86_MEMORY)
		immediate &= 0x3f; /* insertps: memory has one element */
	for (unsigned i = 0; i < 4; i++) {
		uint64_t part = immediate;

		if (row->flags & X86_ROW_DOUBLES) /* as the shuffle of 4-byte elements */
			part = (immediate >> i * 2 & 1 ? 0x0eu : 0x04u) |
			       (immediate >> i * 2 & 2 ? 0xe0u : 0x40u);
		if (row->flags & X86_ROW_SPREAD2) /* a bit for each word */
			part = ((immediate >> i * 4 & 1) * 0x03) |
			       ((immediate >> i * 4 & 2) * 0x06) |
			       ((immediate >> i * 4 & 4) * 0x0c) |
			       ((immediate >> i * 4 & 8) * 0x18);
		if (row->flags & X86_ROW_SPREAD4)
			part = ((immediate >> i * 2 & 1) * 0x0f) |
			       ((immediate >> i * 2 & 2) * 0x78);
		out |= part << i * 16;
	}
	return out;
}

static bool takes_opmask(const struct x86_row *row, const struct isa_record *r)
{
	switch (row->op) {
	case X86_OP_PACKED:
	case X86_OP_PACKED_SHIFT:
	case X86_OP_FLOAT_WIDEN:
	case X86_OP_FUSED:
	case X86_OP_BROADCAST:
	case X86_OP_WIDEN:
	case X86_OP_PERMUTE:
	case X86_OP_PERMUTE_PARTS:
	case X86_OP_INSERT_PART:
	case X86_OP_TERNARY:
	case X86_OP_ALIGN:
	case X86_OP_VECTOR_MOVE:
	case X86_OP_VECTOR_STORE:
		return !(row->flags & X86_ROW_SCALAR);
	case X86_OP_EXTRACT_PART:
	case X86_OP_NARROW:
		return r->rm != X86_MEMORY;
	case X86_OP_PACKED_TO_OPMASK:
	case X86_OP_BLEND_OPMASK:
		return true;
	}
	return false;
}

/* EVEX.b: with memory a broadcast of 4 or 8 bytes, between registers a rounding mode. */
static bool takes_broadcast(const struct x86_row *row, const struct isa_record *r)
{
	if (r->rm != X86_MEMORY || (r->element != 4 && r->element != 8))
		return false;
	return row->op != X86_OP_FLOAT_WIDEN && row->bytes == X86_ROW_FULL;
}

static void swap_registers(struct isa_record *r, bool legacy)
{
	uint8_t reg = r->reg;

	r->reg = r->rm;
	r->rm = reg;
	if (legacy)
		r->reg2 = r->reg;
}

static void set_operand_kinds(const struct x86_row *row, const struct x86_layout *l,
			      struct isa_record *r)
{
	bool legacy = l->opcode.encoding == X86_LEGACY;

	if (row->flags & X86_ROW_REVERSED)
		swap_registers(r, legacy);
	if ((row->flags & X86_ROW_STORE) && r->rm != X86_MEMORY) {
		swap_registers(r, legacy);
		r->op = X86_OP_VECTOR_MOVE;
	}
	if (row->flags & X86_ROW_TO_REG) {
		swap_registers(r, legacy);
		r->rm &= 15;
	}
	if ((row->flags & X86_ROW_GENERAL) && r->rm != X86_MEMORY)
		r->rm &= 15;
	if ((row->flags & X86_ROW_SHIFT) && legacy)
		r->reg2 = r->rm;
	if (row->op == X86_OP_NARROW) { /* reg2 has the width of the source's elements */
		r->reg2 = r->element;
		r->element = (uint8_t)(r->element * r->bytes / r->size);
	}
	if (row->op == X86_OP_BLEND && (row->flags & X86_ROW_FLAG_SPECIAL))
		r->attributes |= X86_IMMEDIATE;
	if (row->op == X86_OP_ZERO_UPPER)
		r->variant = l->opcode.vector_length;
}

static void select_integer(const struct x86_row *row, const struct x86_layout *l,
			   struct isa_record *r)
{
	r->op = row->op;
	r->variant = row->variant;
	r->size = l->opcode.rex & 8 ? 8 : 4;
	if (l->immediate_bytes) { /* rorx */
		r->attributes |= X86_IMMEDIATE;
		r->immediate = (uint64_t)l->immediate;
	}
}

/* False if it has a mask or a broadcast that its operation does not know. */
static bool select_modelled(const struct x86_row *row, const struct x86_layout *l,
			    struct isa_record *r)
{
	struct isa_record out = *r;

	if (row->flags & X86_ROW_INTEGER) {
		select_integer(row, l, r);
		return true;
	}
	out.op = row->op;
	out.variant = row->variant;
	out.element = (uint8_t)row_bytes(row->element ? row->element : 1, 16, &l->opcode);
	if (row->flags & X86_ROW_SCALAR)
		out.size = 16;
	if (row->flags & X86_ROW_ONE_BIT)
		out.size = out.element;
	if (row->flags & X86_ROW_OPMASK)
		out.size = (uint8_t)opmask_bytes(row, &l->opcode);
	out.bytes = (uint8_t)row_bytes(row->bytes, out.size, &l->opcode);
	out.immediate = spread_immediate(row, l, r);
	if (l->opcode.encoding == X86_LEGACY)
		out.attributes |= X86_KEEP_UPPER;
	if (out.mask && !takes_opmask(row, r))
		return false;
	if (l->opcode.broadcast) {
		if (!takes_broadcast(row, &out))
			return false;
		out.attributes |= X86_BROADCAST;
	}
	if (l->opcode.encoding == X86_EVEX && l->displacement8)
		out.displacement *= l->opcode.broadcast || (row->flags & X86_ROW_BY_ELEMENT)
					    ? out.element
					    : out.bytes;
	set_operand_kinds(row, l, &out);
	*r = out;
	return true;
}

/* ---- what is not modelled ------------------------------------------------------------------ */

static void op(struct isa_record *r, enum x86_op which, unsigned variant)
{
	r->op = (uint16_t)which;
	r->variant = (uint16_t)variant;
}

static void forget_vector(struct isa_record *r, unsigned reg, unsigned other)
{
	r->element = (uint8_t)other;
	op(r, X86_OP_FORGET_VECTOR, reg);
}

static void forget_opmask(struct isa_record *r, unsigned reg, unsigned other)
{
	r->element = (uint8_t)other;
	op(r, X86_OP_FORGET_OPMASK, reg);
}

static void forget_general(struct isa_record *r, unsigned reg, unsigned bytes)
{
	r->size = (uint8_t)bytes;
	op(r, X86_OP_CLOBBER, 1u << (reg & 15));
}

static void forget_flags(struct isa_record *r, uint64_t unknown, uint64_t zero)
{
	r->size = 8;
	r->immediate = zero << 32 | unknown;
	op(r, X86_OP_CLOBBER, 0);
}

/* The scale of an EVEX displacement is not known here: its memory may be anywhere. */
static void forget_memory(const struct x86_layout *l, struct isa_record *r, unsigned bytes)
{
	bool scaled = l->opcode.encoding == X86_EVEX && l->displacement8;

	op(r, X86_OP_STORE_UNKNOWN, scaled ? 0 : bytes);
}

static void forget(unsigned what, const struct x86_layout *l, struct isa_record *r, unsigned bytes)
{
	switch (what) {
	case X86_FORGETS_NOTHING:
		op(r, X86_OP_NOTHING, 0);
		return;
	case X86_FORGETS_REG:
		forget_vector(r, r->reg, r->reg);
		return;
	case X86_FORGETS_REG2:
		forget_vector(r, r->reg2, r->reg2);
		return;
	case X86_FORGETS_RM:
		if (r->rm == X86_MEMORY)
			forget_memory(l, r, bytes);
		else
			forget_vector(r, r->rm, r->rm);
		return;
	case X86_FORGETS_RM_REGISTER:
		if (r->rm == X86_MEMORY)
			break;
		forget_vector(r, r->rm, r->rm);
		return;
	case X86_FORGETS_RM_MMX:
		if (r->rm == X86_MEMORY)
			forget_memory(l, r, bytes);
		else
			op(r, X86_OP_NOTHING, 0);
		return;
	case X86_FORGETS_MEMORY:
		forget_memory(l, r, bytes);
		return;
	case X86_FORGETS_ANYWHERE:
		op(r, X86_OP_STORE_UNKNOWN, 0);
		return;
	case X86_FORGETS_GENERAL:
		forget_general(r, r->reg, bytes);
		return;
	case X86_FORGETS_GENERAL_RM:
		if (r->rm == X86_MEMORY)
			forget_memory(l, r, bytes);
		else
			forget_general(r, r->rm, bytes);
		return;
	case X86_FORGETS_OPMASK:
		forget_opmask(r, r->reg & 7, r->reg & 7);
		return;
	case X86_FORGETS_OPMASK_PAIR:
		forget_opmask(r, r->reg & 6, (r->reg & 6) + 1);
		return;
	case X86_FORGETS_OWN_OPMASK:
		forget_opmask(r, r->mask, r->mask);
		return;
	case X86_FORGETS_COMPARE_FLAGS:
		forget_flags(r, X86_ZF | X86_PF | X86_CF, X86_OF | X86_SF | X86_AF);
		return;
	case X86_FORGETS_TEST_FLAGS:
		forget_flags(r, X86_ZF | X86_CF, X86_OF | X86_SF | X86_AF | X86_PF);
		return;
	case X86_FORGETS_MXCSR:
		forget_flags(r, 0, 0);
		return;
	case X86_FORGETS_GATHER:
		forget_vector(r, r->reg, r->reg2);
		return;
	case X86_FORGETS_GATHER_OPMASK:
		r->element = r->reg;
		r->reg2 = r->mask;
		op(r, X86_OP_FORGET_GATHER, r->reg);
		return;
	case X86_FORGETS_SCATTER:
		op(r, X86_OP_SCATTER, 0);
		return;
	case X86_FORGETS_TRANSFER:
		op(r, X86_OP_UNMODELLED, ISA_CAUSE_TRANSFER);
		return;
	}
	op(r, X86_OP_UNMODELLED, ISA_CAUSE_UNMODELLED);
}

/* Without a prefix these opcodes work on MMX registers, which are not tracked. */
static bool is_mmx(const struct x86_opcode *o)
{
	if (o->encoding != X86_LEGACY || o->operand16 || o->repeat)
		return false;
	if (o->map == X86_MAP_0F38)
		return o->opcode < 0x0c || (o->opcode >= 0x1c && o->opcode <= 0x1e);
	return o->map == X86_MAP_0F &&
	       ((o->opcode >= 0x60 && o->opcode <= 0x76) || o->opcode == 0xc4 || o->opcode >= 0xd0);
}

/* What no row says: nearly all write the vector register ModRM.reg. */
static unsigned forgets_usually(const struct x86_opcode *o)
{
	uint8_t opcode = o->opcode;

	if (is_mmx(o))
		return X86_FORGETS_NOTHING;
	if (o->map == X86_MAP_0F38 && o->encoding == X86_LEGACY && o->repeat == 0xf3)
		return X86_FORGETS_ALL; /* Key Locker */
	if (o->map == X86_MAP_0F &&
	    (opcode < 0x10 || (opcode >= 0x18 && opcode < 0x28) ||
	     (opcode >= 0x30 && opcode < 0x50) || (opcode >= 0x80 && opcode < 0xc2)))
		return X86_FORGETS_ALL; /* no vector instruction that is known */
	return X86_FORGETS_REG;
}

static uint8_t vector_bytes(const struct x86_opcode *o)
{
	/* with EVEX.b between registers L is a rounding mode, and the vector is whole */
	return o->encoding == X86_LEGACY ? 16 : (uint8_t)(16u << (o->vector_length & 3));
}

void x86_select_vector(const struct x86_layout *l, struct isa_record *r)
{
	const struct x86_opcode *o = &l->opcode;
	const struct x86_row *row;
	unsigned what;
	uint8_t bytes = 0;

	r->size = vector_bytes(o);
	row = r->size <= 64 ? find_row(l, r) : NULL;
	if (row && select_modelled(row, l, r))
		return;
	what = x86_opcode_vectors_forgets(o->map, o->opcode, row_prefix(o), row_encoding(o),
					  &bytes);
	if (what == X86_FORGETS_UNSAID)
		what = forgets_usually(o);
	forget(what, l, r, row_bytes(bytes, r->size, o));
}
