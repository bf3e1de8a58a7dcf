/* SPDX-License-Identifier: MIT */
/*
 * Scalar floating point by the host's, which is IEEE 754 too: only where FPCR is zero there and
 * here. What hosts do differently, NaNs and conversions out of range, is written out (Arm ARM,
 * FPProcessNaNs, FPProcessNaNs3, FPToFixed).
 */
#include "isa/aarch64/operand.h"
#include "isa/aarch64/vector/lanes.h"

/* A number as its bits. */
struct number {
	uint64_t bits;
	bool known;
};

static uint64_t infinity(unsigned bytes)
{
	return bytes == 8 ? UINT64_C(0x7ff0000000000000) : 0x7f800000;
}

/* The bit of a NaN that says that it is a quiet one. */
static uint64_t quiet(unsigned bytes)
{
	return bytes == 8 ? UINT64_C(0x0008000000000000) : 0x00400000;
}

static bool is_nan(uint64_t bits, unsigned bytes)
{
	return (bits & ~isa_sign(bytes)) > infinity(bytes);
}

static bool is_signalling(uint64_t bits, unsigned bytes)
{
	return is_nan(bits, bytes) && !(bits & quiet(bytes));
}

static double as_double(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static float as_float(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float f;

	memcpy(&f, &low, sizeof(f));
	return f;
}

static uint64_t of_double(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(d));
	return bits;
}

static uint64_t of_float(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(f));
	return bits;
}

/* A NaN that no operand was is the default one: positive, quiet, no more bits. */
static uint64_t no_nan_of_hosts(uint64_t bits, unsigned bytes)
{
	return is_nan(bits, bytes) ? infinity(bytes) | quiet(bytes) : bits;
}

/* The first signalling one of @count operands, or the first quiet one, made quiet. */
static bool find_nan(const uint64_t *operands, unsigned count, unsigned bytes, uint64_t *out)
{
	for (unsigned i = 0; i < count; i++) {
		if (is_signalling(operands[i], bytes)) {
			*out = operands[i] | quiet(bytes);
			return true;
		}
	}
	for (unsigned i = 0; i < count; i++) {
		if (is_nan(operands[i], bytes)) {
			*out = operands[i];
			return true;
		}
	}
	return false;
}

static bool can_compute(const struct isa_state *s)
{
	return s->computes_floats && s->fpcr_known && !s->fpcr;
}

static struct number number_of(const struct isa_state *s, unsigned reg, unsigned bytes)
{
	return (struct number){s->vector[reg].u64[0] & isa_mask(bytes), s->vector_known[reg] & 1};
}

static enum isa_outcome set_number(struct isa_state *s, unsigned reg, unsigned bytes,
				   struct number n)
{
	struct aarch64_lanes out = {.known = n.known ? AARCH64_VECTOR_KNOWN : 0};

	out.v.u64[0] = n.bits;
	aarch64_lanes_write(s, reg, bytes, out);
	return ISA_NEXT;
}

/* frint and fcvt: 0 to nearest, 1 up, 2 down, 3 to zero, 4 away from zero in the middle */
static double rounded(double d, unsigned mode)
{
	switch (mode) {
	case 1:
		return __builtin_ceil(d);
	case 2:
		return __builtin_floor(d);
	case 3:
		return __builtin_trunc(d);
	case 4:
		return __builtin_round(d);
	}
	return __builtin_rint(d);
}

static uint64_t round_bits(uint64_t bits, unsigned mode, unsigned bytes)
{
	uint64_t nan;

	if (find_nan(&bits, 1, bytes, &nan))
		return nan;
	if (bytes == 8)
		return of_double(rounded(as_double(bits), mode));
	return of_float((float)rounded(as_float(bits), mode)); /* exact: of fewer bits */
}

static uint64_t square_root(uint64_t bits, unsigned bytes)
{
	uint64_t nan;

	if (find_nan(&bits, 1, bytes, &nan))
		return nan;
	return no_nan_of_hosts(bytes == 8 ? of_double(__builtin_sqrt(as_double(bits)))
					  : of_float(__builtin_sqrtf(as_float(bits))),
			       bytes);
}

/* fmov, fabs, fneg, fsqrt, frint: the encoding's opcode is the variant */
AARCH64_EVALUATOR(float_one)
{
	struct number n = number_of(s, r->rn, r->element);

	switch (r->variant) {
	case 0:
		break;
	case 1:
		n.bits &= ~isa_sign(r->element);
		break;
	case 2:
		n.bits ^= isa_sign(r->element);
		break;
	case 3:
		n.known = n.known && can_compute(s);
		n.bits = square_root(n.bits, r->element);
		break;
	default:
		n.known = n.known && can_compute(s);
		n.bits = round_bits(n.bits, r->variant < 13 ? r->variant - 8u : 0, r->element);
		break;
	}
	return set_number(s, r->rd, r->element, n);
}

/* fcvt between single and double: to r->bytes; of a NaN the upper bits stay */
AARCH64_EVALUATOR(float_convert)
{
	struct number n = number_of(s, r->rn, r->element);
	uint64_t bits = n.bits;

	n.known = n.known && can_compute(s);
	if (r->bytes == 8 && is_nan(bits, 4))
		n.bits = (bits >> 31) << 63 | infinity(8) | quiet(8) | (bits & 0x3fffff) << 29;
	else if (r->bytes == 8)
		n.bits = of_double((double)as_float(bits));
	else if (is_nan(bits, 8))
		n.bits = (bits >> 63) << 31 | infinity(4) | quiet(4) | (bits >> 29 & 0x3fffff);
	else
		n.bits = of_float((float)as_double(bits));
	return set_number(s, r->rd, r->bytes, n);
}

/* Less in the order of numbers, in which -0 is less than 0. */
static bool is_less(uint64_t a, uint64_t b, unsigned bytes)
{
	uint64_t sign = isa_sign(bytes);

	if ((a ^ b) & sign)
		return a & sign;
	return a & sign ? a > b : a < b;
}

enum two { MULTIPLY, DIVIDE, ADD, SUBTRACT, MAX, MIN, MAX_NUMBER, MIN_NUMBER, NEGATED_MULTIPLY };

#define COMPUTE(type)                                                \
	static type compute_##type(unsigned variant, type a, type b) \
	{                                                            \
		switch (variant) {                                   \
		case DIVIDE:                                         \
			return a / b;                                \
		case ADD:                                            \
			return a + b;                                \
		case SUBTRACT:                                       \
			return a - b;                                \
		}                                                    \
		return a * b;                                        \
	}

COMPUTE(double)
COMPUTE(float)

static uint64_t two(unsigned variant, uint64_t a, uint64_t b, unsigned bytes)
{
	const uint64_t operands[2] = {a, b};
	uint64_t out;

	if (variant == MAX_NUMBER || variant == MIN_NUMBER) { /* a quiet NaN is no number */
		bool quiet_a = is_nan(a, bytes) && !is_signalling(a, bytes);
		bool quiet_b = is_nan(b, bytes) && !is_signalling(b, bytes);

		if (quiet_a && !is_nan(b, bytes))
			return b;
		if (quiet_b && !is_nan(a, bytes))
			return a;
		variant -= 2;
	}
	if (find_nan(operands, 2, bytes, &out))
		return variant == NEGATED_MULTIPLY ? out ^ isa_sign(bytes) : out;
	if (variant == MAX || variant == MIN)
		return is_less(a, b, bytes) == (variant == MIN) ? a : b;
	out = bytes == 8 ? of_double(compute_double(variant, as_double(a), as_double(b)))
			 : of_float(compute_float(variant, as_float(a), as_float(b)));
	out = no_nan_of_hosts(out, bytes);
	return variant == NEGATED_MULTIPLY ? out ^ isa_sign(bytes) : out;
}

/* fmul, fdiv, fadd, fsub, fmax, fmin, fmaxnm, fminnm, fnmul: as the encoding numbers them */
AARCH64_EVALUATOR(float_two)
{
	struct number a = number_of(s, r->rn, r->element), b = number_of(s, r->rm, r->element);

	a.known = a.known && b.known && can_compute(s);
	a.bits = two(r->variant, a.bits, b.bits, r->element);
	return set_number(s, r->rd, r->element, a);
}

/* Infinity times zero. */
static bool is_invalid_product(uint64_t a, uint64_t b, unsigned bytes)
{
	a &= ~isa_sign(bytes);
	b &= ~isa_sign(bytes);
	return (a == infinity(bytes) && !b) || (!a && b == infinity(bytes));
}

static uint64_t fused(uint64_t addend, uint64_t a, uint64_t b, unsigned bytes)
{
	const uint64_t operands[3] = {addend, a, b};
	bool invalid = is_invalid_product(a, b, bytes);
	uint64_t out;

	if (invalid && is_nan(addend, bytes) && !is_signalling(addend, bytes))
		return infinity(bytes) | quiet(bytes);
	if (find_nan(operands, 3, bytes, &out))
		return out;
	out = bytes == 8 ? of_double(__builtin_fma(as_double(a), as_double(b), as_double(addend)))
			 : of_float(__builtin_fmaf(as_float(a), as_float(b), as_float(addend)));
	return no_nan_of_hosts(out, bytes);
}

/* fmadd, fmsub, fnmadd, fnmsub: bit 1 of the variant negates the addend, and the product is
 * negated where the bits differ */
AARCH64_EVALUATOR(float_fused)
{
	struct number a = number_of(s, r->rn, r->element), b = number_of(s, r->rm, r->element);
	struct number addend = number_of(s, r->ra, r->element);

	if (r->variant & 2)
		addend.bits ^= isa_sign(r->element);
	if ((r->variant >> 1 ^ r->variant) & 1)
		a.bits ^= isa_sign(r->element);
	addend.known = addend.known && a.known && b.known && can_compute(s);
	addend.bits = fused(addend.bits, a.bits, b.bits, r->element);
	return set_number(s, r->rd, r->element, addend);
}

static unsigned compare(uint64_t a, uint64_t b, unsigned bytes)
{
	if (is_nan(a, bytes) || is_nan(b, bytes))
		return AARCH64_C | AARCH64_V;
	if (a == b || !((a | b) & ~isa_sign(bytes)))
		return AARCH64_Z | AARCH64_C;
	return is_less(a, b, bytes) ? AARCH64_N : AARCH64_C;
}

static void set_comparison(const struct isa_record *r, struct isa_state *s)
{
	struct number a = number_of(s, r->rn, r->element), b = number_of(s, r->rm, r->element);

	if (r->attributes & AARCH64_INVERTS)
		b = (struct number){0, true};
	/* subnormal numbers compare as zero under some settings */
	aarch64_flags_set(s, compare(a.bits, b.bits, r->element),
			  a.known && b.known && can_compute(s) ? AARCH64_NZCV : 0);
}

/* fcmp, fcmpe */
AARCH64_EVALUATOR(float_compare)
{
	set_comparison(r, s);
	return ISA_NEXT;
}

/* fccmp */
AARCH64_EVALUATOR(float_compare_if)
{
	int holds = aarch64_flags_condition(s, r->variant);

	if (!holds) {
		aarch64_flags_set(s, r->shift, AARCH64_NZCV);
		return ISA_NEXT;
	}
	set_comparison(r, s);
	if (holds < 0)
		aarch64_flags_set(s, s->flags, s->flags_known & ~(unsigned)(s->flags ^ r->shift));
	return ISA_NEXT;
}

/* fcsel */
AARCH64_EVALUATOR(float_select)
{
	int holds = aarch64_flags_condition(s, r->variant);
	struct number a = number_of(s, r->rn, r->element), b = number_of(s, r->rm, r->element);

	if (holds < 0)
		a.known = a.known && b.known && a.bits == b.bits;
	else if (!holds)
		a = b;
	return set_number(s, r->rd, r->element, a);
}

static double power_of_two(int exponent)
{
	return as_double((uint64_t)(1023 + exponent) << 52);
}

static uint64_t from_integer(uint64_t v, bool is_signed, unsigned bytes, unsigned fraction)
{
	if (bytes == 8)
		return of_double((is_signed ? (double)(int64_t)v : (double)v) *
				 power_of_two(-(int)fraction));
	return of_float((is_signed ? (float)(int64_t)v : (float)v) *
			(float)power_of_two(-(int)fraction));
}

/* scvtf, ucvtf; r->shift bits of the integer are its fraction */
AARCH64_EVALUATOR(float_from_integer)
{
	struct isa_value v = aarch64_register(s, r->rn, r->size);
	bool is_signed = r->attributes & AARCH64_SIGNED;
	struct number n = {.known = aarch64_is_known(v) && can_compute(s)};

	if (is_signed)
		v = aarch64_extend_sign(v, r->size);
	n.bits = from_integer(v.bits, is_signed, r->element, r->shift);
	return set_number(s, r->rd, r->element, n);
}

/* To @bits; what is too large becomes the largest, a NaN zero. */
static uint64_t to_integer(double d, bool is_signed, unsigned bits)
{
	double limit = power_of_two((int)bits - (is_signed ? 1 : 0));

	if (d != d)
		return 0;
	if (d >= limit)
		return is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX;
	if (!is_signed)
		return d <= 0 ? 0 : (uint64_t)d;
	return d < -limit ? UINT64_C(1) << (bits - 1) : (uint64_t)(int64_t)d;
}

/* fcvtns and the like: the variant is how it rounds; r->shift bits of the result are fraction */
AARCH64_EVALUATOR(float_to_integer)
{
	struct number n = number_of(s, r->rn, r->element);
	double d = r->element == 8 ? as_double(n.bits) : as_float(n.bits);
	struct isa_value v = ISA_UNKNOWN;

	if (n.known && can_compute(s))
		v = aarch64_known(to_integer(rounded(d * power_of_two(r->shift), r->variant),
					     r->attributes & AARCH64_SIGNED, r->size * 8u));
	aarch64_register_set(s, r->rd, r->size, v);
	return ISA_NEXT;
}
