/* SPDX-License-Identifier: MIT */
/* The opmask registers k0 to k7, known bit by bit. `size` is the width in bytes. */
#include "isa/x86_64/operand.h"
#include "isa/x86_64/vector/vector_operands.h"

static struct isa_value read(const struct isa_state *s, unsigned k, unsigned bytes)
{
	uint64_t mask = isa_mask(bytes);

	return (struct isa_value){s->opmask[k & 7] & mask, s->opmask_known[k & 7] & mask};
}

/* The bits above @bytes become zero. */
static void write(struct isa_state *s, unsigned k, unsigned bytes, struct isa_value v)
{
	s->opmask[k & 7] = v.bits & v.known & isa_mask(bytes);
	s->opmask_known[k & 7] = v.known | ~isa_mask(bytes);
}

/* kmov to an opmask: variant 0 from an opmask or memory, 1 from a general register */
X86_EVALUATOR(opmask_load)
{
	struct isa_value v;

	if (r->rm == X86_MEMORY) {
		v = x86_memory_read(r, s, m, r->size);
	} else if (r->variant) {
		v = x86_register(s, r->rm & 15, r->size);
	} else {
		v = read(s, r->rm, r->size);
	}
	write(s, r->reg, r->size, v);
	return ISA_NEXT;
}

/* kmov from an opmask: variant 0 to memory, 1 to a general register */
X86_EVALUATOR(opmask_store)
{
	struct isa_value v;

	if (!r->variant)
		return x86_memory_write(r, s, r->size, read(s, r->reg, r->size)) ? ISA_NEXT
										 : ISA_UNMODELLED;
	v = read(s, r->rm, r->size);
	v.known |= ~isa_mask(r->size);
	x86_register_set(s, r->reg & 15, 8, v);
	return ISA_NEXT;
}

/* By opcode: kand, kandn, knot, kor, kxnor, kxor, kadd, kunpck */
X86_EVALUATOR(opmask_logic)
{
	struct isa_value a = read(s, r->reg2, r->size), b = read(s, r->rm, r->size), d;
	unsigned half = r->size / 2u;

	switch (r->variant) {
	case 0x41:
		d = isa_and(a, b);
		break;
	case 0x42:
		d = isa_and(isa_not(a), b);
		break;
	case 0x44:
		d = isa_not(b);
		break;
	case 0x45:
		d = isa_or(a, b);
		break;
	case 0x46:
		d = isa_not(isa_xor(a, b));
		break;
	case 0x47:
		d = isa_xor(a, b);
		break;
	case 0x4a:
		d = (struct isa_value){a.bits + b.bits, a.known & b.known};
		d.known = d.known == isa_mask(r->size) ? d.known : 0;
		break;
	default:
		a = read(s, r->reg2, half);
		b = read(s, r->rm, half);
		d.bits = a.bits << half * 8 | b.bits;
		d.known = a.known << half * 8 | b.known;
		break;
	}
	/* kxnor and kxor of a register with itself do not depend on it */
	if ((r->variant == 0x46 || r->variant == 0x47) && r->reg2 == r->rm)
		d = x86_known(r->variant == 0x46 ? UINT64_MAX : 0, r->size);
	write(s, r->reg, r->size, d);
	return ISA_NEXT;
}

/* kshiftl, kshiftr (variant 1) */
X86_EVALUATOR(opmask_shift)
{
	struct isa_value v = read(s, r->rm, r->size);
	unsigned count = r->immediate & 0xff;

	if (count >= r->size * 8u) {
		v = x86_known(0, r->size);
	} else if (r->variant) {
		v.bits >>= count;
		v.known = v.known >> count | ~(isa_mask(r->size) >> count);
	} else {
		v.bits <<= count;
		v.known = v.known << count | ((UINT64_C(1) << count) - 1);
	}
	write(s, r->reg, r->size, v);
	return ISA_NEXT;
}

/* kortest (variant 0), ktest (1) */
X86_EVALUATOR(opmask_test)
{
	struct isa_value a = read(s, r->reg, r->size), b = read(s, r->rm, r->size);
	uint64_t mask = isa_mask(r->size);
	bool known = (a.known & b.known) == mask;

	x86_flags_set(s, X86_STATUS_FLAGS, 0, X86_STATUS_FLAGS);
	if (r->variant) {
		x86_flag_assign(s, X86_ZF, !(a.bits & b.bits), known || (a.bits & b.bits));
		x86_flag_assign(s, X86_CF, !(~a.bits & b.bits & mask), known);
	} else {
		uint64_t ones = a.bits | b.bits;

		x86_flag_assign(s, X86_ZF, !ones, known || ones);
		x86_flag_assign(s, X86_CF, ones == mask,
				known || ones == mask || ((a.known & b.known) & ~ones));
	}
	return ISA_NEXT;
}

/* vpmovm2b and its like: each bit of opmask rm becomes a whole element */
X86_EVALUATOR(opmask_expand)
{
	unsigned count = r->size / r->element, each = 8 / r->element;
	struct x86_packed v = {.known = 0};
	uint64_t known = s->opmask_known[r->rm & 7], bits = s->opmask[r->rm & 7];

	for (unsigned i = 0; i < count; i++)
		memset(v.v.u8 + i * r->element, bits >> i & 1 ? 0xff : 0, r->element);
	for (unsigned lane = 0; lane < r->size / 8u; lane++) {
		uint64_t all = (UINT64_C(1) << each) - 1;

		if ((known >> lane * each & all) == all)
			v.known |= (uint8_t)(1u << lane);
	}
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}
