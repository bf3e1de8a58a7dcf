/* SPDX-License-Identifier: MIT */
/*
 * Moves, addition, logic and comparison of integers. Source: Intel SDM volume 2.
 * An operation on partly known operands keeps the bits that it can.
 */
#include "isa/x86_64/operand.h"

X86_EVALUATOR(integer_nothing)
{
	return ISA_NEXT;
}

/* reg from rm, both registers */
X86_EVALUATOR(integer_move)
{
	x86_register_set(s, r->reg, r->size, x86_register(s, r->rm, r->size));
	return ISA_NEXT;
}

X86_EVALUATOR(integer_load)
{
	struct isa_value v = x86_memory_read(r, s, m, r->size);

	x86_register_set(s, r->reg, r->size, v);
	return ISA_NEXT;
}

X86_EVALUATOR(integer_store)
{
	if (!x86_memory_write(r, s, r->size, x86_register(s, r->reg, r->size)))
		return ISA_UNMODELLED;
	return ISA_NEXT;
}

/* rm from the immediate */
X86_EVALUATOR(integer_set)
{
	if (!x86_rm_write(r, s, r->size, x86_known(r->immediate, r->size)))
		return ISA_UNMODELLED;
	return ISA_NEXT;
}

X86_EVALUATOR(integer_lea)
{
	struct isa_value v = ISA_UNKNOWN;
	uint64_t address;

	if (x86_address(r, s, &address)) /* decoded without its segment */
		v = x86_known(address, r->size);
	x86_register_set(s, r->reg, r->size, v);
	return ISA_NEXT;
}

X86_EVALUATOR(integer_zero_extend)
{
	struct isa_value v = x86_rm_read(r, s, m, r->element);

	v.known |= ~isa_mask(r->element);
	x86_register_set(s, r->reg, r->size, v);
	return ISA_NEXT;
}

X86_EVALUATOR(integer_sign_extend)
{
	struct isa_value v = x86_rm_read(r, s, m, r->element);

	v.bits = (uint64_t)x86_sign_extend(v.bits, r->element);
	v.known = (uint64_t)x86_sign_extend(v.known, r->element);
	v.bits &= isa_mask(r->size);
	v.known &= isa_mask(r->size);
	x86_register_set(s, r->reg, r->size, v);
	return ISA_NEXT;
}

/*
 * Two-operand arithmetic. `element` says where the result goes: 0 is rm, else reg; the other
 * operand is reg, rm, or with X86_IMMEDIATE the immediate.
 */
static void read_pair(const struct isa_record *r, struct isa_state *s, const struct isa_memory *m,
		      struct isa_value *a, struct isa_value *b)
{
	struct isa_value rm = x86_rm_read(r, s, m, r->size), other;

	if (r->attributes & X86_IMMEDIATE)
		other = x86_known(r->immediate, r->size);
	else
		other = x86_register(s, r->reg, r->size);
	*a = r->element ? other : rm;
	*b = r->element ? rm : other;
}

static bool write_result(const struct isa_record *r, struct isa_state *s, struct isa_value v)
{
	if (!r->element)
		return x86_rm_write(r, s, r->size, v);
	x86_register_set(s, r->reg, r->size, v);
	return true;
}

/* The bits of a sum below the lowest unknown bit of the operands. */
static uint64_t known_low(uint64_t known, unsigned bytes)
{
	known |= ~isa_mask(bytes);
	if (known == UINT64_MAX)
		return isa_mask(bytes);
	return ~known & (known + 1) ? (~known & (known + 1)) - 1 : 0;
}

static uint64_t sum_flags(uint64_t a, uint64_t b, uint64_t carry, uint64_t sum, unsigned bytes)
{
	uint64_t sign = isa_sign(bytes);

	/* with a carry in, a sum of a is one that went around */
	return x86_flags_of(sum, bytes) | (sum < a || (carry && sum == a) ? X86_CF : 0) |
	       ((a ^ b ^ sum) & X86_AF) | ((a ^ sum) & (b ^ sum) & sign ? X86_OF : 0);
}

static uint64_t difference_flags(uint64_t a, uint64_t b, uint64_t borrow, uint64_t difference,
				 unsigned bytes)
{
	uint64_t sign = isa_sign(bytes);

	return x86_flags_of(difference, bytes) | (a < b || (borrow && a == b) ? X86_CF : 0) |
	       ((a ^ b ^ difference) & X86_AF) | ((a ^ b) & (a ^ difference) & sign ? X86_OF : 0);
}

static struct isa_value add_partly(struct isa_state *s, unsigned bytes, struct isa_value a,
				   struct isa_value b, struct isa_value carry)
{
	struct isa_value sum;

	sum.known = carry.known & 1 ? known_low(a.known & b.known, bytes) : 0;
	sum.bits = (a.bits + b.bits + carry.bits) & sum.known;
	x86_flags_forget(s, X86_STATUS_FLAGS);
	x86_flags_result(s, sum, bytes);
	return sum;
}

static struct isa_value add(struct isa_state *s, unsigned bytes, struct isa_value a,
			    struct isa_value b, struct isa_value carry)
{
	uint64_t mask = isa_mask(bytes), sum = (a.bits + b.bits + carry.bits) & mask;

	if ((a.known & b.known) != mask || !carry.known)
		return add_partly(s, bytes, a, b, carry);
	x86_flags_set(s, X86_STATUS_FLAGS, sum_flags(a.bits, b.bits, carry.bits, sum, bytes),
		      X86_STATUS_FLAGS);
	return (struct isa_value){sum, mask};
}

/* What a comparison of partly known numbers still tells: that they differ, and which is larger. */
static void compare_partly(struct isa_state *s, unsigned bytes, struct isa_value a,
			   struct isa_value b)
{
	uint64_t mask = isa_mask(bytes), both = a.known & b.known;
	uint64_t a_max = a.bits | (~a.known & mask), b_max = b.bits | (~b.known & mask);

	if ((a.bits ^ b.bits) & both)
		x86_flag_assign(s, X86_ZF, false, true);
	if (a_max < b.bits)
		x86_flag_assign(s, X86_CF, true, true);
	else if (a.bits >= b_max)
		x86_flag_assign(s, X86_CF, false, true);
}

static struct isa_value subtract_partly(struct isa_state *s, unsigned bytes, struct isa_value a,
					struct isa_value b, struct isa_value borrow)
{
	struct isa_value difference;

	difference.known = borrow.known & 1 ? known_low(a.known & b.known, bytes) : 0;
	difference.bits = (a.bits - b.bits - borrow.bits) & difference.known;
	x86_flags_forget(s, X86_STATUS_FLAGS);
	x86_flags_result(s, difference, bytes);
	if ((borrow.known & 1) && !borrow.bits)
		compare_partly(s, bytes, a, b);
	return difference;
}

static struct isa_value subtract(struct isa_state *s, unsigned bytes, struct isa_value a,
				 struct isa_value b, struct isa_value borrow)
{
	uint64_t mask = isa_mask(bytes), difference = (a.bits - b.bits - borrow.bits) & mask;

	if ((a.known & b.known) != mask || !borrow.known)
		return subtract_partly(s, bytes, a, b, borrow);
	x86_flags_set(s, X86_STATUS_FLAGS,
		      difference_flags(a.bits, b.bits, borrow.bits, difference, bytes),
		      X86_STATUS_FLAGS);
	return (struct isa_value){difference, mask};
}

static struct isa_value carry_in(const struct isa_state *s)
{
	return (struct isa_value){s->flags & X86_CF, (s->flags_known & X86_CF) ? 1 : 0};
}

static const struct isa_value no_carry = {0, 1};

static struct isa_value logic(struct isa_state *s, struct isa_value v, unsigned bytes)
{
	x86_flags_set(s, X86_STATUS_FLAGS, 0, X86_CF | X86_OF);
	x86_flags_result(s, v, bytes);
	return v;
}

/* x - x and x ^ x are zero whatever x is. */
static bool same_register(const struct isa_record *r)
{
	return r->rm == r->reg && !(r->attributes & X86_IMMEDIATE);
}

/* For what does not depend on x where both operands are x. */
static void read_pair_or_zeros(const struct isa_record *r, struct isa_state *s,
			       const struct isa_memory *m, struct isa_value *a, struct isa_value *b)
{
	if (same_register(r))
		*a = *b = x86_known(0, r->size);
	else
		read_pair(r, s, m, a, b);
}

#define ARITHMETIC(name, read, result)                                         \
	X86_EVALUATOR(integer_##name)                                          \
	{                                                                      \
		struct isa_value a, b;                                         \
                                                                               \
		read(r, s, m, &a, &b);                                         \
		return write_result(r, s, result) ? ISA_NEXT : ISA_UNMODELLED; \
	}

ARITHMETIC(add, read_pair, add(s, r->size, a, b, no_carry))
ARITHMETIC(adc, read_pair, add(s, r->size, a, b, carry_in(s)))
ARITHMETIC(logic_and, read_pair, logic(s, isa_and(a, b), r->size))
ARITHMETIC(logic_or, read_pair, logic(s, isa_or(a, b), r->size))
/* x - x, x - x - CF and x ^ x */
ARITHMETIC(sub, read_pair_or_zeros, subtract(s, r->size, a, b, no_carry))
ARITHMETIC(sbb, read_pair_or_zeros, subtract(s, r->size, a, b, carry_in(s)))
ARITHMETIC(logic_xor, read_pair_or_zeros, logic(s, isa_xor(a, b), r->size))

void x86_integer_flags_compare(struct isa_state *s, struct isa_value a, struct isa_value b,
			       unsigned bytes)
{
	subtract(s, bytes, a, b, no_carry);
}

X86_EVALUATOR(integer_cmp)
{
	struct isa_value a, b;

	read_pair_or_zeros(r, s, m, &a, &b);
	subtract(s, r->size, a, b, no_carry);
	return ISA_NEXT;
}

X86_EVALUATOR(integer_test)
{
	struct isa_value a, b;

	read_pair(r, s, m, &a, &b);
	logic(s, isa_and(a, b), r->size);
	return ISA_NEXT;
}

/* inc (variant 0) and dec (1): like add and sub of 1, but CF stays */
X86_EVALUATOR(integer_increment)
{
	uint64_t carry = s->flags & X86_CF, carry_known = s->flags_known & X86_CF;
	struct isa_value v = x86_rm_read(r, s, m, r->size), one = x86_known(1, r->size);

	if (r->variant)
		v = subtract(s, r->size, v, one, no_carry);
	else
		v = add(s, r->size, v, one, no_carry);
	x86_flags_set(s, X86_CF, carry, carry_known);
	return x86_rm_write(r, s, r->size, v) ? ISA_NEXT : ISA_UNMODELLED;
}

X86_EVALUATOR(integer_negate)
{
	struct isa_value v = x86_rm_read(r, s, m, r->size);

	v = subtract(s, r->size, x86_known(0, r->size), v, no_carry);
	return x86_rm_write(r, s, r->size, v) ? ISA_NEXT : ISA_UNMODELLED;
}

X86_EVALUATOR(integer_complement)
{
	struct isa_value v = x86_rm_read(r, s, m, r->size);

	v.bits = ~v.bits & v.known;
	return x86_rm_write(r, s, r->size, v) ? ISA_NEXT : ISA_UNMODELLED;
}
