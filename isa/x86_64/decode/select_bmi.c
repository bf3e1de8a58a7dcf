/* SPDX-License-Identifier: MIT */
/* BMI1 and BMI2: the VEX-encoded instructions on general registers. Source: Intel SDM volume 2. */
#include "isa/x86_64/op.h"

static bool op(struct isa_record *r, enum x86_op which, unsigned variant)
{
	r->op = (uint16_t)which;
	r->variant = (uint16_t)variant;
	return true;
}

/* f5 and f7 are told apart by the prefix. */
static bool select_by_prefix(const struct x86_opcode *o, struct isa_record *r)
{
	bool f5 = o->opcode == 0xf5;

	if (o->repeat == 0xf2)
		return f5 ? op(r, X86_OP_BIT_PACK, X86_PDEP) : op(r, X86_OP_SHIFT_PLAIN, X86_SHR);
	if (o->repeat == 0xf3)
		return f5 ? op(r, X86_OP_BIT_PACK, X86_PEXT) : op(r, X86_OP_SHIFT_PLAIN, X86_SAR);
	if (o->operand16)
		return !f5 && op(r, X86_OP_SHIFT_PLAIN, X86_SHL);
	return f5 ? op(r, X86_OP_ZERO_HIGH, 0) : op(r, X86_OP_BIT_FIELD, 0);
}

bool x86_select_bmi(const struct x86_layout *l, struct isa_record *r)
{
	const struct x86_opcode *o = &l->opcode;

	if (o->encoding != X86_VEX)
		return false;
	r->size = o->rex & 8 ? 8 : 4;
	if (o->map == X86_MAP_0F3A) {
		if (o->opcode != 0xf0 || o->repeat != 0xf2)
			return false;
		r->attributes |= X86_IMMEDIATE;
		r->immediate = (uint64_t)l->immediate;
		return op(r, X86_OP_SHIFT_PLAIN, X86_ROR);
	}
	if (o->map != X86_MAP_0F38)
		return false;
	switch (o->opcode) {
	case 0xf2:
		return op(r, X86_OP_AND_NOT, 0);
	case 0xf3:
		return x86_layout_digit(l) >= 1 && x86_layout_digit(l) <= 3 &&
		       op(r, X86_OP_LOWEST_BIT, x86_layout_digit(l));
	case 0xf5:
	case 0xf7:
		return select_by_prefix(o, r);
	case 0xf6:
		return o->repeat == 0xf2 && op(r, X86_OP_MULX, 0);
	}
	return false;
}
