/* SPDX-License-Identifier: MIT */
/* Constants, sums, logic, conditional selection and comparison: Arm ARM, C6.2. */
#include "isa/aarch64/operand.h"

/* movz, movn, adr, adrp */
AARCH64_EVALUATOR(integer_constant)
{
	aarch64_register_set(s, r->rd, r->size, aarch64_known(r->immediate));
	return ISA_NEXT;
}

/* movk */
AARCH64_EVALUATOR(integer_insert_constant)
{
	uint64_t mask = UINT64_C(0xffff) << r->shift;
	struct isa_value v = {s->gpr[r->rd], s->gpr_known[r->rd]};

	v.bits = (v.bits & ~mask) | r->immediate;
	v.known |= mask;
	aarch64_register_set(s, r->rd, r->size, v);
	return ISA_NEXT;
}

/* The sum or difference, and flags if the record sets them. */
static struct isa_value add_carrying(const struct isa_record *r, struct isa_state *s,
				     struct isa_value a, struct isa_value b, struct isa_value carry)
{
	if (r->attributes & AARCH64_SUBTRACTS)
		b = aarch64_cut(isa_not(b), r->size);
	if (r->attributes & AARCH64_SETS_FLAGS)
		return aarch64_flags_sum(s, a, b, carry, r->size);
	if ((a.known & b.known) == UINT64_MAX && aarch64_is_known(carry))
		return aarch64_known(a.bits + b.bits + carry.bits);
	return aarch64_sum(a, b, carry);
}

static enum isa_outcome add_to(const struct isa_record *r, struct isa_state *s, struct isa_value b)
{
	struct isa_value a = aarch64_register(s, r->rn, r->size);

	b = aarch64_cut(b, r->size);
	aarch64_register_set(
		s, r->rd, r->size,
		add_carrying(r, s, a, b, aarch64_known(r->attributes & AARCH64_SUBTRACTS ? 1 : 0)));
	return ISA_NEXT;
}

/* add, adds, sub, subs, and so on below */
AARCH64_EVALUATOR(integer_add_immediate)
{
	return add_to(r, s, aarch64_known(r->immediate));
}

/* rm, shifted by r->shift as r->extend says */
static struct isa_value shifted(const struct isa_record *r, const struct isa_state *s)
{
	struct isa_value v = aarch64_register(s, r->rm, r->size);

	return r->shift ? aarch64_bits_shifted(v, (enum aarch64_shift)r->extend, r->shift, r->size)
			: v;
}

AARCH64_EVALUATOR(integer_add)
{
	return add_to(r, s, shifted(r, s));
}

AARCH64_EVALUATOR(integer_add_extended)
{
	return add_to(r, s, aarch64_extended(r, s));
}

/* adc, sbc */
AARCH64_EVALUATOR(integer_add_carry)
{
	struct isa_value a = aarch64_register(s, r->rn, r->size);
	struct isa_value b = aarch64_register(s, r->rm, r->size), carry;

	carry.bits = s->flags & AARCH64_C ? 1 : 0;
	carry.known = s->flags_known & AARCH64_C ? UINT64_MAX : ~UINT64_C(1);
	aarch64_register_set(s, r->rd, r->size, add_carrying(r, s, a, b, carry));
	return ISA_NEXT;
}

static enum isa_outcome logic(const struct isa_record *r, struct isa_state *s, struct isa_value b)
{
	struct isa_value a = aarch64_register(s, r->rn, r->size);

	if (r->attributes & AARCH64_INVERTS)
		b = aarch64_cut(isa_not(b), r->size);
	switch (r->variant) {
	case AARCH64_ORR:
		a = isa_or(a, b);
		break;
	case AARCH64_EOR:
		a = r->rn == r->rm && !r->shift && r->op == AARCH64_OP_LOGIC &&
				    !(r->attributes & AARCH64_INVERTS)
			    ? aarch64_known(0)
			    : isa_xor(a, b);
		break;
	case AARCH64_ANDS:
	case AARCH64_AND:
		a = isa_and(a, b);
		break;
	}
	if (r->variant == AARCH64_ANDS)
		aarch64_flags_of_logic(s, a, r->size);
	aarch64_register_set(s, r->rd, r->size, a);
	return ISA_NEXT;
}

AARCH64_EVALUATOR(integer_logic_immediate)
{
	return logic(r, s, aarch64_known(r->immediate));
}

AARCH64_EVALUATOR(integer_logic)
{
	return logic(r, s, shifted(r, s));
}

/* csel, csinc, csinv, csneg */
AARCH64_EVALUATOR(integer_select)
{
	int holds = aarch64_flags_condition(s, r->variant);
	struct isa_value a = aarch64_register(s, r->rn, r->size);
	struct isa_value b = aarch64_register(s, r->rm, r->size);

	if (r->extend & AARCH64_CSINV)
		b = isa_not(b);
	if (r->extend & AARCH64_CSINC)
		b = aarch64_sum(b, aarch64_known(0), aarch64_known(1));
	if (holds < 0)
		a = isa_either(aarch64_cut(a, r->size), aarch64_cut(b, r->size));
	else if (!holds)
		a = b;
	aarch64_register_set(s, r->rd, r->size, a);
	return ISA_NEXT;
}

/* ccmp, ccmn: the comparison's flags, or those that the instruction gives */
static enum isa_outcome integer_compare(const struct isa_record *r, struct isa_state *s,
					struct isa_value b)
{
	int holds = aarch64_flags_condition(s, r->variant);
	struct isa_value a = aarch64_register(s, r->rn, r->size);
	unsigned differ;

	if (!holds) {
		aarch64_flags_set(s, r->shift, AARCH64_NZCV);
		return ISA_NEXT;
	}
	add_carrying(r, s, a, b, aarch64_known(r->attributes & AARCH64_SUBTRACTS ? 1 : 0));
	differ = s->flags ^ r->shift;
	if (holds < 0)
		aarch64_flags_set(s, s->flags, s->flags_known & ~differ);
	return ISA_NEXT;
}

AARCH64_EVALUATOR(integer_compare_immediate)
{
	return integer_compare(r, s, aarch64_known(r->immediate));
}

AARCH64_EVALUATOR(integer_compare)
{
	return integer_compare(r, s, aarch64_register(s, r->rm, r->size));
}
