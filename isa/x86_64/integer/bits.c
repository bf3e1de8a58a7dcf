/* SPDX-License-Identifier: MIT */
/* Single bits, bit counts, bit fields and CRC32. Source: Intel SDM volume 2. */
#include "isa/x86_64/operand.h"

static struct isa_value change_bit(struct isa_value v, enum x86_bit how, unsigned bit)
{
	uint64_t mask = UINT64_C(1) << bit;

	switch (how) {
	case X86_BTS:
		v.bits |= mask;
		v.known |= mask;
		break;
	case X86_BTR:
		v.bits &= ~mask;
		v.known |= mask;
		break;
	case X86_BTC:
		v.bits ^= mask & v.known;
		break;
	case X86_BT:
		break;
	}
	return v;
}

static void tested_bit(struct isa_state *s, struct isa_value v, unsigned bit)
{
	/* ZF stays; OF, SF, AF and PF are undefined */
	x86_flags_forget(s, X86_STATUS_FLAGS & ~X86_ZF);
	x86_flag_assign(s, X86_CF, v.bits >> bit & 1, v.known >> bit & 1);
}

/* The bit number is in a register and the string of bits in memory: it may be far from rm. */
static enum isa_outcome test_bit_string(const struct isa_record *r, struct isa_state *s,
					const struct isa_memory *m)
{
	struct isa_value number = x86_register(s, r->reg, r->size), v;
	uint64_t address;
	int64_t offset;

	if (!x86_address(r, s, &address) || !x86_is_known(number, r->size)) {
		if (r->variant != X86_BT)
			isa_shadow_forget(&s->shadow);
		x86_flags_forget(s, X86_STATUS_FLAGS & ~X86_ZF);
		return ISA_NEXT;
	}
	offset = x86_sign_extend(number.bits, r->size);
	address += (uint64_t)(offset >> 3);
	v = isa_load(s, m, address, 1);
	if (r->variant != X86_BT &&
	    !isa_store(s, address, 1, change_bit(v, r->variant, offset & 7)))
		return ISA_UNMODELLED;
	tested_bit(s, v, offset & 7);
	return ISA_NEXT;
}

/* bt, bts, btr, btc */
X86_EVALUATOR(bits_test)
{
	uint64_t limit = r->size * 8u - 1;
	struct isa_value v, number;

	if (r->rm == X86_MEMORY && !(r->attributes & X86_IMMEDIATE))
		return test_bit_string(r, s, m);
	v = x86_rm_read(r, s, m, r->size);
	if (r->attributes & X86_IMMEDIATE)
		number = x86_known(r->immediate, 8);
	else
		number = x86_register(s, r->reg, r->size);
	if ((number.known & limit) != limit) {
		x86_flags_forget(s, X86_STATUS_FLAGS & ~X86_ZF);
		if (r->variant != X86_BT)
			x86_register_set(s, r->rm, r->size, ISA_UNKNOWN);
		return ISA_NEXT;
	}
	if (r->variant != X86_BT &&
	    !x86_rm_write(r, s, r->size, change_bit(v, r->variant, number.bits & limit)))
		return ISA_UNMODELLED;
	tested_bit(s, v, number.bits & limit);
	return ISA_NEXT;
}

/* Known although some bits are not: all bits up to the first set one are known, from this end. */
static bool first_set_known(struct isa_value v, bool reverse, unsigned bytes)
{
	uint64_t unknown = ~v.known & isa_mask(bytes);

	if (!unknown)
		return true;
	if (!v.bits)
		return false;
	if (reverse)
		return v.bits > unknown;
	return (v.bits & -v.bits) < (unknown & -unknown);
}

static unsigned first_set(uint64_t bits, bool reverse)
{
	return (unsigned)(reverse ? 63 - __builtin_clzll(bits) : __builtin_ctzll(bits));
}

/* bsf (variant 0), bsr (1); of zero the destination stays */
X86_EVALUATOR(bits_scan)
{
	bool known;
	struct isa_value v = x86_rm_read(r, s, m, r->size);

	known = x86_is_known(v, r->size) || v.bits;
	x86_flags_forget(s, X86_STATUS_FLAGS);
	x86_flag_assign(s, X86_ZF, !v.bits, known);
	if (!first_set_known(v, r->variant, r->size))
		x86_register_set(s, r->reg, r->size, ISA_UNKNOWN);
	else if (v.bits)
		x86_register_set(s, r->reg, r->size,
				 x86_known(first_set(v.bits, r->variant), r->size));
	else if (r->size == 4) /* whether the upper half is cleared differs between CPUs */
		s->gpr_known[r->reg] &= UINT32_MAX, s->gpr[r->reg] &= UINT32_MAX;
	return ISA_NEXT;
}

/* tzcnt (variant 0), lzcnt (1) */
X86_EVALUATOR(bits_count_zeros)
{
	unsigned width = r->size * 8u, count;
	struct isa_value v = x86_rm_read(r, s, m, r->size);

	x86_flags_forget(s, X86_STATUS_FLAGS);
	if (!first_set_known(v, r->variant, r->size)) {
		x86_register_set(s, r->reg, r->size, ISA_UNKNOWN);
		return ISA_NEXT;
	}
	if (!v.bits)
		count = width;
	else if (r->variant)
		count = width - 1 - first_set(v.bits, true);
	else
		count = first_set(v.bits, false);
	x86_register_set(s, r->reg, r->size, x86_known(count, r->size));
	x86_flag_assign(s, X86_CF, !v.bits, true);
	x86_flag_assign(s, X86_ZF, !count, true);
	return ISA_NEXT;
}

X86_EVALUATOR(bits_population)
{
	struct isa_value v = x86_rm_read(r, s, m, r->size), out = ISA_UNKNOWN;
	bool known;

	known = x86_is_known(v, r->size);
	if (known)
		out = x86_known((uint64_t)__builtin_popcountll(v.bits), r->size);
	x86_register_set(s, r->reg, r->size, out);
	x86_flags_set(s, X86_STATUS_FLAGS, 0, X86_STATUS_FLAGS & ~X86_ZF);
	x86_flag_assign(s, X86_ZF, !v.bits, known || v.bits);
	return ISA_NEXT;
}

/* SF and ZF of a BMI result; CF and OF known to be clear unless set behind this; AF, PF undefined
 */
static void bmi_flags(struct isa_state *s, struct isa_value v, unsigned bytes)
{
	x86_flags_set(s, X86_STATUS_FLAGS, 0, X86_CF | X86_OF);
	x86_flags_result(s, v, bytes);
	x86_flags_forget(s, X86_PF);
}

/* andn: not reg2, and rm */
X86_EVALUATOR(bits_and_not)
{
	struct isa_value a = x86_register(s, r->reg2, r->size), b = x86_rm_read(r, s, m, r->size),
			 out;

	out.known = (a.known & b.known) | a.bits | (b.known & ~b.bits);
	out.bits = ~a.bits & b.bits & out.known;
	x86_register_set(s, r->reg, r->size, out);
	bmi_flags(s, out, r->size);
	return ISA_NEXT;
}

/* blsr (variant 1), blsmsk (2), blsi (3) into reg2 */
X86_EVALUATOR(bits_lowest_bit)
{
	struct isa_value v = x86_rm_read(r, s, m, r->size), out = ISA_UNKNOWN;
	bool known;

	known = x86_is_known(v, r->size);
	if (known) {
		uint64_t below = v.bits - 1;

		out = x86_known(r->variant == 1	  ? v.bits & below
				: r->variant == 2 ? v.bits ^ below
						  : v.bits & -v.bits,
				r->size);
	}
	x86_register_set(s, r->reg2, r->size, out);
	bmi_flags(s, out, r->size);
	if (r->variant == 2) /* has at least its lowest bit */
		x86_flag_assign(s, X86_ZF, false, true);
	x86_flag_assign(s, X86_CF, (r->variant == 3) == (v.bits != 0), known || v.bits);
	return ISA_NEXT;
}

/* bextr: start and length in the low bytes of reg2 */
X86_EVALUATOR(bits_field)
{
	struct isa_value v = x86_rm_read(r, s, m, r->size), out = ISA_UNKNOWN;
	unsigned start = s->gpr[r->reg2] & 0xff, length = s->gpr[r->reg2] >> 8 & 0xff;

	if ((s->gpr_known[r->reg2] & 0xffff) == 0xffff) {
		uint64_t field = length < 64 ? (UINT64_C(1) << length) - 1 : UINT64_MAX;

		out.known = isa_mask(r->size);
		if (start < r->size * 8u) {
			out.bits = v.bits >> start & field;
			out.known &= v.known >> start | ~field | ~(isa_mask(r->size) >> start);
		}
	}
	x86_register_set(s, r->reg, r->size, out);
	bmi_flags(s, out, r->size);
	x86_flags_forget(s, X86_SF);
	return ISA_NEXT;
}

/* bzhi */
X86_EVALUATOR(bits_zero_high)
{
	unsigned from = s->gpr[r->reg2] & 0xff, width = r->size * 8u;
	bool known = (s->gpr_known[r->reg2] & 0xff) == 0xff;
	struct isa_value v = x86_rm_read(r, s, m, r->size);

	if (!known) {
		v = ISA_UNKNOWN;
	} else if (from < width) {
		uint64_t keep = (UINT64_C(1) << from) - 1;

		v.bits &= keep;
		v.known |= ~keep & isa_mask(r->size);
	}
	x86_register_set(s, r->reg, r->size, v);
	bmi_flags(s, v, r->size);
	x86_flag_assign(s, X86_CF, from >= width, known);
	return ISA_NEXT;
}

static uint64_t deposit(uint64_t bits, uint64_t mask)
{
	uint64_t out = 0;

	for (; mask; mask &= mask - 1, bits >>= 1)
		out |= bits & 1 ? mask & -mask : 0;
	return out;
}

static uint64_t extract(uint64_t bits, uint64_t mask)
{
	uint64_t out = 0;

	for (unsigned at = 0; mask; mask &= mask - 1, at++)
		out |= bits & mask & -mask ? UINT64_C(1) << at : 0;
	return out;
}

/* pdep, pext: reg2 through the mask in rm */
X86_EVALUATOR(bits_pack)
{
	struct isa_value v = x86_register(s, r->reg2, r->size),
			 mask = x86_rm_read(r, s, m, r->size), out = ISA_UNKNOWN;

	if (x86_is_known(mask, r->size)) {
		bool in = r->variant == X86_PDEP;

		out.bits = in ? deposit(v.bits, mask.bits) : extract(v.bits, mask.bits);
		out.known = in ? deposit(v.known, mask.bits) | ~mask.bits
			       : extract(v.known, mask.bits) |
					    (mask.bits == UINT64_MAX
						     ? 0
						     : ~extract(UINT64_MAX, mask.bits));
		out.known &= isa_mask(r->size);
	}
	x86_register_set(s, r->reg, r->size, out);
	return ISA_NEXT;
}

/* crc32: the Castagnoli polynomial, bits reversed; rm of `element` bytes into reg */
X86_EVALUATOR(bits_crc32)
{
	struct isa_value v = x86_rm_read(r, s, m, r->element), crc = x86_register(s, r->reg, 4),
			 out = ISA_UNKNOWN;

	if (x86_is_known(v, r->element) && x86_is_known(crc, 4)) {
		uint32_t c = (uint32_t)crc.bits;

		for (unsigned i = 0; i < r->element; i++) {
			c ^= (uint8_t)(v.bits >> i * 8);
			for (unsigned bit = 0; bit < 8; bit++)
				c = c >> 1 ^ (c & 1 ? 0x82f63b78 : 0);
		}
		out = x86_known(c, 4);
	}
	x86_register_set(s, r->reg, 4, out);
	return ISA_NEXT;
}
