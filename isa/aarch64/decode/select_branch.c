/* SPDX-License-Identifier: MIT */
/* Branches, exceptions and system instructions: Arm ARM, C4.1.93. */
#include "isa/aarch64/operand.h"

/* op0 op1 CRn CRm op2 of MRS and MSR */
#define SYSTEM_REGISTER(op1, crn, crm, op2) \
	(3u << 19 | (op1) << 16 | (crn) << 12 | (crm) << 8 | (op2) << 5)

static bool select_stop(struct isa_record *r, enum isa_cause cause)
{
	r->op = AARCH64_OP_UNMODELLED;
	r->variant = (uint8_t)cause;
	return true;
}

static bool select_pointer(struct isa_record *r, uint8_t op, uint8_t rd)
{
	r->op = op;
	r->rd = rd;
	return true;
}

/* Hints are named by CRm and op2; those that are not known do nothing. */
static bool select_hint(uint32_t word, struct isa_record *r)
{
	switch (aarch64_field(word, 5, 7)) {
	case 1: /* yield, wfe, wfi */
	case 2:
	case 3:
		return select_stop(r, ISA_CAUSE_SPIN);
	case 7: /* xpaclri */
		return select_pointer(r, AARCH64_OP_STRIP, AARCH64_LR);
	case 8: /* pacia1716, pacib1716 */
	case 10:
		return select_pointer(r, AARCH64_OP_SIGN, AARCH64_X17);
	case 12: /* autia1716, autib1716 */
	case 14:
		return select_pointer(r, AARCH64_OP_STRIP, AARCH64_X17);
	case 24 ... 27: /* paciaz, paciasp, pacibz, pacibsp */
		return select_pointer(r, AARCH64_OP_SIGN, AARCH64_LR);
	case 28 ... 31: /* autiaz, autiasp, autibz, autibsp */
		return select_pointer(r, AARCH64_OP_STRIP, AARCH64_LR);
	}
	r->op = AARCH64_OP_NOTHING;
	return true;
}

static bool select_barrier(uint32_t word, struct isa_record *r)
{
	switch (word >> 5 & 7) {
	case 2:
		r->op = AARCH64_OP_CLEAR_EXCLUSIVE;
		return true;
	case 6: /* isb: what some programs wait in loops with */
		return select_stop(r, ISA_CAUSE_SPIN);
	}
	r->op = AARCH64_OP_NOTHING; /* dsb, dmb, sb */
	return true;
}

static enum aarch64_system_register system_register(uint32_t word)
{
	switch (word & 0x1fffe0) {
	case SYSTEM_REGISTER(3u, 13u, 0u, 2u):
		return AARCH64_TPIDR;
	case SYSTEM_REGISTER(3u, 0u, 0u, 1u):
		return AARCH64_CTR;
	case SYSTEM_REGISTER(3u, 0u, 0u, 7u):
		return AARCH64_DCZID;
	case SYSTEM_REGISTER(3u, 4u, 2u, 0u):
		return AARCH64_REGISTER_NZCV;
	case SYSTEM_REGISTER(3u, 4u, 4u, 0u):
		return AARCH64_REGISTER_FPCR;
	}
	return AARCH64_OTHER_REGISTER;
}

/* 1101010100 L op0 op1 CRn CRm op2 Rt */
static bool select_system(uint32_t word, struct isa_record *r)
{
	r->rd = aarch64_or_zero(word, 0);
	r->rn = r->rd;
	r->size = 8;
	if (aarch64_matches(word, 0xfffff01f, 0xd503201f))
		return select_hint(word, r);
	if (aarch64_matches(word, 0xfffff01f, 0xd503301f))
		return select_barrier(word, r);
	if (aarch64_matches(word, 0xfff8f01f,
			    0xd500401f)) { /* cfinv, axflag; msr of an immediate */
		r->op = AARCH64_OP_FORGET_FLAGS;
		return true;
	}
	if (aarch64_matches(word, 0xffffffe0, 0xd50b7420)) {
		r->op = AARCH64_OP_ZERO_BLOCK;
		return true;
	}
	r->variant = (uint8_t)system_register(word);
	if (aarch64_matches(word, 0xfff00000, 0xd5300000)) {
		r->op = AARCH64_OP_READ;
		return true;
	}
	if (aarch64_matches(word, 0xfff00000, 0xd5100000)) {
		r->op = AARCH64_OP_WRITE;
		return true;
	}
	r->op = AARCH64_OP_NOTHING; /* caches: dc, ic; no program may do more */
	return aarch64_matches(word, 0xfffff000, 0xd50b7000);
}

static bool select_register(uint32_t word, struct isa_record *r)
{
	r->rn = aarch64_or_zero(word, 5);
	switch (r->kind) {
	case ISA_CALL_INDIRECT:
		r->op = AARCH64_OP_CALL_INDIRECT;
		return true;
	case ISA_JUMP_INDIRECT:
		r->op = AARCH64_OP_JUMP_INDIRECT;
		return true;
	case ISA_RETURN:
		if ((word >> 21 & 15) != 2) /* eret, drps */
			return false;
		if (aarch64_field(word, 10, 6) >> 1 == 1) /* retaa, retab */
			r->rn = AARCH64_LR;
		r->op = AARCH64_OP_JUMP_INDIRECT;
		return true;
	}
	return false;
}

bool aarch64_select_branch(uint32_t word, struct isa_record *r)
{
	r->size = word >> 31 ? 8 : 4;
	r->rn = aarch64_or_zero(word, 0);
	switch (word >> 24) {
	case 0x14 ... 0x17:
		r->op = AARCH64_OP_JUMP;
		return true;
	case 0x94 ... 0x97:
		r->op = AARCH64_OP_CALL;
		return true;
	case 0x54:
		r->op = AARCH64_OP_JUMP_CONDITIONAL;
		r->variant = (uint8_t)aarch64_field(word, 0, 4);
		return true;
	case 0x34: /* cbz, cbnz */
	case 0x35:
	case 0xb4:
	case 0xb5:
		r->op = AARCH64_OP_JUMP_ZERO;
		r->variant = word >> 24 & 1;
		return true;
	case 0x36: /* tbz, tbnz */
	case 0x37:
	case 0xb6:
	case 0xb7:
		r->op = AARCH64_OP_JUMP_BIT;
		r->variant = word >> 24 & 1;
		r->shift = (uint8_t)(word >> 31 << 5 | aarch64_field(word, 19, 5));
		return true;
	case 0xd4:
		return r->kind == ISA_SYSCALL && (word & 3) == 1
			       ? select_stop(r, ISA_CAUSE_SYSTEM_CALL)
			       : select_stop(r, ISA_CAUSE_TRAP);
	case 0xd5:
		return select_system(word, r);
	case 0xd6:
	case 0xd7:
		return select_register(word, r);
	}
	return false;
}
