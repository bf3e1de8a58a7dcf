/* SPDX-License-Identifier: MIT */
/* Shifts and rotates. Source: Intel SDM volume 2. */
#include "isa/x86_64/operand.h"

/* What comes of a shift: the value, and the last bit shifted out. */
struct shifted {
	struct isa_value value;
	bool carry, carry_known;
};

static bool bit_of(uint64_t bits, unsigned n)
{
	return n < 64 && (bits >> n & 1);
}

/* Only 8 and 16 bits can be shifted by their width and more; the carry is undefined then. */
static struct shifted all_shifted_out(unsigned bytes)
{
	return (struct shifted){.value = {0, isa_mask(bytes)}};
}

static struct shifted shift_left(struct isa_value v, unsigned bytes, unsigned count)
{
	uint64_t mask = isa_mask(bytes);
	struct shifted out;

	if (count >= bytes * 8)
		return all_shifted_out(bytes);
	out.carry = bit_of(v.bits, bytes * 8 - count);
	out.carry_known = bit_of(v.known, bytes * 8 - count);
	out.value.bits = v.bits << count & mask;
	out.value.known = (v.known << count | ((UINT64_C(1) << count) - 1)) & mask;
	return out;
}

static struct shifted shift_right(struct isa_value v, unsigned bytes, unsigned count)
{
	uint64_t mask = isa_mask(bytes);
	struct shifted out;

	if (count >= bytes * 8)
		return all_shifted_out(bytes);
	out.carry = bit_of(v.bits, count - 1);
	out.carry_known = bit_of(v.known, count - 1);
	out.value.bits = v.bits >> count;
	out.value.known = v.known >> count | (mask & ~(mask >> count));
	return out;
}

static struct shifted shift_arithmetic(struct isa_value v, unsigned bytes, unsigned count)
{
	int64_t bits = x86_sign_extend(v.bits, bytes), known = x86_sign_extend(v.known, bytes);
	uint64_t mask = isa_mask(bytes);
	struct shifted out;

	out.carry = bits >> (count - 1) & 1; /* count is at most 63 */
	out.carry_known = known >> (count - 1) & 1;
	out.value.bits = (uint64_t)(bits >> count) & mask;
	out.value.known = (uint64_t)(known >> count) & mask;
	return out;
}

static uint64_t rotate_left(uint64_t bits, unsigned bytes, unsigned count)
{
	unsigned width = bytes * 8;

	count %= width;
	if (!count)
		return bits;
	return (bits << count | bits >> (width - count)) & isa_mask(bytes);
}

static struct shifted rotate(struct isa_value v, unsigned bytes, unsigned count, bool right)
{
	unsigned width = bytes * 8, edge = right ? width - 1 : 0;
	unsigned left = right ? width - count % width : count;
	struct shifted out;

	out.value.bits = rotate_left(v.bits, bytes, left);
	out.value.known = rotate_left(v.known, bytes, left);
	out.carry = bit_of(out.value.bits, edge);
	out.carry_known = bit_of(out.value.known, edge);
	return out;
}

/* rcl and rcr: the carry is one more bit of the number */
static struct shifted rotate_carry(const struct isa_state *s, struct isa_value v, unsigned bytes,
				   unsigned count, bool right)
{
	unsigned width = bytes * 8 + 1, left;
	unsigned __int128 number, all = ((unsigned __int128)1 << width) - 1;
	struct shifted out = {0};

	if (!x86_is_known(v, bytes) || !(s->flags_known & X86_CF))
		return out;
	number = v.bits | (unsigned __int128)(s->flags & X86_CF) << (width - 1);
	count %= width;
	left = right ? width - count : count;
	if (left % width)
		number = (number << left | number >> (width - left)) & all;
	out.value = x86_known((uint64_t)number, bytes);
	out.carry = number >> (width - 1) & 1;
	out.carry_known = true;
	return out;
}

static struct shifted compute(const struct isa_state *s, enum x86_shift which, struct isa_value v,
			      unsigned bytes, unsigned count)
{
	switch (which) {
	case X86_ROL:
	case X86_ROR:
		return rotate(v, bytes, count, which == X86_ROR);
	case X86_RCL:
	case X86_RCR:
		return rotate_carry(s, v, bytes, count, which == X86_RCR);
	case X86_SHR:
		return shift_right(v, bytes, count);
	case X86_SAR:
		return shift_arithmetic(v, bytes, count);
	default:
		return shift_left(v, bytes, count);
	}
}

/* OF is defined for a count of 1 only. */
static void overflow_flag(struct isa_state *s, enum x86_shift which, struct isa_value old,
			  const struct shifted *now, unsigned bytes)
{
	uint64_t sign = isa_sign(bytes);
	bool top = now->value.bits & sign, next = now->value.bits & sign >> 1;
	bool known = now->value.known & sign;

	switch (which) {
	case X86_SHR:
		x86_flag_assign(s, X86_OF, old.bits & sign, old.known & sign);
		return;
	case X86_SAR:
		x86_flag_assign(s, X86_OF, false, true);
		return;
	case X86_ROR:
	case X86_RCR:
		x86_flag_assign(s, X86_OF, top != next, known && (now->value.known & sign >> 1));
		return;
	default:
		x86_flag_assign(s, X86_OF, top != now->carry, known && now->carry_known);
		return;
	}
}

static bool shift_count(const struct isa_record *r, const struct isa_state *s, unsigned *count)
{
	unsigned limit = r->size == 8 ? 63 : 31;

	if (r->attributes & X86_IMMEDIATE) {
		*count = r->immediate & limit;
		return true;
	}
	*count = s->gpr[X86_RCX] & limit;
	return (s->gpr_known[X86_RCX] & limit) == limit;
}

X86_EVALUATOR(shift_with_flags)
{
	enum x86_shift which = r->variant;
	struct shifted now;
	struct isa_value v = x86_rm_read(r, s, m, r->size);
	unsigned count;

	if (!shift_count(r, s, &count)) {
		x86_flags_forget(s, X86_STATUS_FLAGS);
		return x86_rm_write(r, s, r->size, ISA_UNKNOWN) ? ISA_NEXT : ISA_UNMODELLED;
	}
	if (!count) /* a 32-bit one clears the upper half even then */
		return x86_rm_write(r, s, r->size, v) ? ISA_NEXT : ISA_UNMODELLED;
	now = compute(s, which, v, r->size, count);
	if (!x86_rm_write(r, s, r->size, now.value))
		return ISA_UNMODELLED;
	if (which >= X86_SHL) {
		x86_flags_result(s, now.value, r->size);
		x86_flags_forget(s, X86_AF);
	}
	x86_flag_assign(s, X86_CF, now.carry, now.carry_known);
	if (count == 1)
		overflow_flag(s, which, v, &now, r->size);
	else
		x86_flags_forget(s, X86_OF);
	return ISA_NEXT;
}

/* shld (variant 0), shrd (1) */
X86_EVALUATOR(shift_double)
{
	struct isa_value v = x86_rm_read(r, s, m, r->size),
			 filler = x86_register(s, r->reg, r->size), out;
	unsigned width = r->size * 8u, count, edge;

	if (!shift_count(r, s, &count) || count > width) {
		x86_flags_forget(s, X86_STATUS_FLAGS);
		return x86_rm_write(r, s, r->size, ISA_UNKNOWN) ? ISA_NEXT : ISA_UNMODELLED;
	}
	if (!count)
		return x86_rm_write(r, s, r->size, v) ? ISA_NEXT : ISA_UNMODELLED;
	if (count == width) { /* of 16 bits */
		out = filler;
	} else if (r->variant) {
		out.bits = v.bits >> count | filler.bits << (width - count);
		out.known = v.known >> count | filler.known << (width - count);
	} else {
		out.bits = v.bits << count | filler.bits >> (width - count);
		out.known = v.known << count | filler.known >> (width - count);
	}
	out.bits &= isa_mask(r->size);
	out.known &= isa_mask(r->size);
	if (!x86_rm_write(r, s, r->size, out))
		return ISA_UNMODELLED;
	edge = r->variant ? count - 1 : width - count;
	x86_flags_forget(s, X86_STATUS_FLAGS);
	x86_flags_result(s, out, r->size);
	x86_flag_assign(s, X86_CF, bit_of(v.bits, edge), bit_of(v.known, edge));
	return ISA_NEXT;
}

/* sarx, shlx, shrx (count in reg2) and rorx (immediate): reg from rm, no flags */
X86_EVALUATOR(shift_plain)
{
	unsigned limit = r->size * 8u - 1, count = r->immediate & limit;
	bool count_known = true;
	struct isa_value v = x86_rm_read(r, s, m, r->size);

	if (!(r->attributes & X86_IMMEDIATE)) {
		count = s->gpr[r->reg2] & limit;
		count_known = (s->gpr_known[r->reg2] & limit) == limit;
	}
	if (!count_known)
		v = ISA_UNKNOWN;
	else if (count)
		v = compute(s, r->variant, v, r->size, count).value;
	x86_register_set(s, r->reg, r->size, v);
	return ISA_NEXT;
}
