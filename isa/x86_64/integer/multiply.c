/* SPDX-License-Identifier: MIT */
/* Multiplication, division and carry chains. Source: Intel SDM volume 2. */
#include "isa/x86_64/operand.h"

#define PRODUCT_FLAGS (X86_CF | X86_OF)

/* Widen @bits to 128. */
static __int128 extend(uint64_t bits, unsigned bytes, bool is_signed)
{
	if (is_signed)
		return x86_sign_extend(bits, bytes);
	return (__int128)(unsigned __int128)(bits & isa_mask(bytes));
}

static void product_flags(struct isa_state *s, __int128 product, unsigned bytes, bool is_signed)
{
	bool lost = extend((uint64_t)product, bytes, is_signed) != product;

	x86_flags_set(s, X86_STATUS_FLAGS, lost ? PRODUCT_FLAGS : 0, PRODUCT_FLAGS);
}

/* The double-width result or operand: ax, dx:ax, edx:eax, rdx:rax. */
static void set_pair(struct isa_state *s, unsigned bytes, struct isa_value low,
		     struct isa_value high)
{
	x86_register_set(s, X86_RAX, bytes, low);
	x86_register_set(s, bytes == 1 ? X86_HIGH | X86_RAX : X86_RDX, bytes, high);
}

/* mul (variant 0), imul (1) of one operand */
X86_EVALUATOR(multiply_pair)
{
	struct isa_value a = x86_register(s, X86_RAX, r->size), b = x86_rm_read(r, s, m, r->size);
	__int128 product;

	if (!x86_is_known(a, r->size) || !x86_is_known(b, r->size)) {
		set_pair(s, r->size, ISA_UNKNOWN, ISA_UNKNOWN);
		x86_flags_forget(s, X86_STATUS_FLAGS);
		return ISA_NEXT;
	}
	product = (__int128)((unsigned __int128)extend(a.bits, r->size, r->variant) *
			     (unsigned __int128)extend(b.bits, r->size, r->variant));
	set_pair(s, r->size, x86_known((uint64_t)product, r->size),
		 x86_known((uint64_t)(product >> (r->size * 8)), r->size));
	product_flags(s, product, r->size, r->variant);
	return ISA_NEXT;
}

/* imul reg, rm and imul reg, rm, immediate */
X86_EVALUATOR(multiply_single)
{
	struct isa_value a = x86_rm_read(r, s, m, r->size), b = x86_register(s, r->reg, r->size);
	__int128 product;

	if (r->attributes & X86_IMMEDIATE)
		b = x86_known(r->immediate, r->size);
	if (!x86_is_known(a, r->size) || !x86_is_known(b, r->size)) {
		x86_register_set(s, r->reg, r->size, ISA_UNKNOWN);
		x86_flags_forget(s, X86_STATUS_FLAGS);
		return ISA_NEXT;
	}
	product = extend(a.bits, r->size, true) * extend(b.bits, r->size, true);
	x86_register_set(s, r->reg, r->size, x86_known((uint64_t)product, r->size));
	product_flags(s, product, r->size, true);
	return ISA_NEXT;
}

/* rdx times rm into reg (high) and reg2 (low), high last; no flags */
X86_EVALUATOR(multiply_mulx)
{
	struct isa_value a = x86_register(s, X86_RDX, r->size), b = x86_rm_read(r, s, m, r->size),
			 low = ISA_UNKNOWN, high = ISA_UNKNOWN;

	if (x86_is_known(a, r->size) && x86_is_known(b, r->size)) {
		unsigned __int128 product = (unsigned __int128)a.bits * b.bits;

		low = x86_known((uint64_t)product, r->size);
		high = x86_known((uint64_t)(product >> (r->size * 8)), r->size);
	}
	x86_register_set(s, r->reg2, r->size, low);
	x86_register_set(s, r->reg, r->size, high);
	return ISA_NEXT;
}

static bool divide_unsigned(unsigned __int128 dividend, uint64_t divisor, unsigned bytes,
			    uint64_t *quotient, uint64_t *remainder)
{
	unsigned __int128 q;

	if ((dividend >> 64) == 0) { /* 64-bit division is much faster */
		*quotient = (uint64_t)dividend / divisor;
		*remainder = (uint64_t)dividend % divisor;
		return *quotient <= isa_mask(bytes);
	}
	q = dividend / divisor;
	*remainder = (uint64_t)(dividend % divisor);
	*quotient = (uint64_t)q;
	return q <= isa_mask(bytes);
}

static bool divide_signed(__int128 dividend, int64_t divisor, unsigned bytes, uint64_t *quotient,
			  uint64_t *remainder)
{
	__int128 q;

	if (divisor == -1) { /* the most negative dividend would trap here too */
		if (dividend < -(__int128)(isa_mask(bytes) >> 1))
			return false;
		q = -dividend;
		*remainder = 0;
	} else {
		q = dividend / divisor;
		*remainder = (uint64_t)(dividend % divisor);
	}
	*quotient = (uint64_t)q;
	return q == x86_sign_extend((uint64_t)q, bytes);
}

/* div (variant 0), idiv (1); a quotient that does not fit traps, and so does a zero divisor */
X86_EVALUATOR(multiply_divide)
{
	unsigned bytes = r->size, high_reg = bytes == 1 ? X86_HIGH | X86_RAX : X86_RDX;
	struct isa_value low = x86_register(s, X86_RAX, bytes),
			 high = x86_register(s, high_reg, bytes),
			 divisor = x86_rm_read(r, s, m, bytes);
	unsigned __int128 dividend;
	uint64_t quotient, remainder;
	bool fits;

	x86_flags_forget(s, X86_STATUS_FLAGS);
	if (!x86_is_known(low, bytes) || !x86_is_known(high, bytes) ||
	    !x86_is_known(divisor, bytes)) {
		set_pair(s, bytes, ISA_UNKNOWN, ISA_UNKNOWN);
		return ISA_NEXT;
	}
	if (!divisor.bits)
		return isa_stop(s, ISA_UNMODELLED, ISA_CAUSE_TRAP);
	dividend = (unsigned __int128)high.bits << (bytes * 8) | low.bits;
	if (r->variant) {
		unsigned unused = 128 - bytes * 16;

		fits = divide_signed((__int128)(dividend << unused) >> unused,
				     x86_sign_extend(divisor.bits, bytes), bytes, &quotient,
				     &remainder);
	} else {
		fits = divide_unsigned(dividend, divisor.bits, bytes, &quotient, &remainder);
	}
	if (!fits)
		return isa_stop(s, ISA_UNMODELLED, ISA_CAUSE_TRAP);
	set_pair(s, bytes, x86_known(quotient, bytes), x86_known(remainder, bytes));
	return ISA_NEXT;
}

/* adcx, adox: variant is the one flag that they use */
X86_EVALUATOR(multiply_add_carry)
{
	struct isa_value a = x86_register(s, r->reg, r->size), b = x86_rm_read(r, s, m, r->size),
			 sum = ISA_UNKNOWN;
	bool known, carry = false;

	known = x86_is_known(a, r->size) && x86_is_known(b, r->size) &&
		(s->flags_known & r->variant);
	if (known) {
		unsigned __int128 wide = (unsigned __int128)a.bits + b.bits +
					 ((s->flags & r->variant) != 0);

		sum = x86_known((uint64_t)wide, r->size);
		carry = (wide >> (r->size * 8)) != 0;
	}
	x86_register_set(s, r->reg, r->size, sum);
	x86_flag_assign(s, r->variant, carry, known);
	return ISA_NEXT;
}
