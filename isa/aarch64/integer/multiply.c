/* SPDX-License-Identifier: MIT */
/* Products, quotients and checksums: Arm ARM, C6.2. */
#include "isa/aarch64/operand.h"

/* The low bits of a product are those of the factors' low bits. */
static struct isa_value product(struct isa_value a, struct isa_value b)
{
	uint64_t both = a.known & b.known;
	uint64_t known = both & ~(both + 1); /* the ones below the first zero */

	if ((aarch64_is_known(a) && !a.bits) || (aarch64_is_known(b) && !b.bits))
		return aarch64_known(0);
	return (struct isa_value){a.bits * b.bits & known, known};
}

static struct isa_value add_to(const struct isa_record *r, const struct isa_state *s,
			       struct isa_value v)
{
	struct isa_value to = {s->gpr[r->ra], s->gpr_known[r->ra]};

	if (r->attributes & AARCH64_SUBTRACTS)
		return aarch64_sum(to, isa_not(v), aarch64_known(1));
	return aarch64_sum(to, v, aarch64_known(0));
}

/* madd, msub */
AARCH64_EVALUATOR(multiply_add)
{
	struct isa_value a = {s->gpr[r->rn], s->gpr_known[r->rn]};
	struct isa_value b = {s->gpr[r->rm], s->gpr_known[r->rm]};

	aarch64_register_set(s, r->rd, r->size, add_to(r, s, product(a, b)));
	return ISA_NEXT;
}

/* smaddl, umsubl and so on: 32 bits times 32 bits */
AARCH64_EVALUATOR(multiply_add_long)
{
	struct isa_value a = aarch64_register(s, r->rn, 4), b = aarch64_register(s, r->rm, 4);

	if (r->attributes & AARCH64_SIGNED) {
		a = aarch64_extend_sign(a, 4);
		b = aarch64_extend_sign(b, 4);
	}
	aarch64_register_set(s, r->rd, 8, add_to(r, s, product(a, b)));
	return ISA_NEXT;
}

/* smulh, umulh */
AARCH64_EVALUATOR(multiply_high)
{
	uint64_t a = s->gpr[r->rn], b = s->gpr[r->rm];
	struct isa_value v = ISA_UNKNOWN;

	if ((s->gpr_known[r->rn] & s->gpr_known[r->rm]) == UINT64_MAX) {
		v = aarch64_known((uint64_t)((unsigned __int128)a * b >> 64));
		if (r->attributes & AARCH64_SIGNED)
			v.bits -= ((int64_t)a < 0 ? b : 0) + ((int64_t)b < 0 ? a : 0);
	}
	aarch64_register_set(s, r->rd, 8, v);
	return ISA_NEXT;
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_signed)
{
	if (!b)
		return 0;
	if (!is_signed)
		return a / b;
	/* the least value by -1 is itself */
	return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}

/* udiv, sdiv: by zero it is zero */
AARCH64_EVALUATOR(multiply_divide)
{
	struct isa_value a = aarch64_register(s, r->rn, r->size);
	struct isa_value b = aarch64_register(s, r->rm, r->size), v = ISA_UNKNOWN;
	bool is_signed = r->attributes & AARCH64_SIGNED;

	if (aarch64_is_known(a) && aarch64_is_known(b)) {
		if (is_signed) {
			a = aarch64_extend_sign(a, r->size);
			b = aarch64_extend_sign(b, r->size);
		}
		v = aarch64_known(divide(a.bits, b.bits, is_signed));
	}
	aarch64_register_set(s, r->rd, r->size, v);
	return ISA_NEXT;
}

/* Both polynomials are bit-reversed: the lowest bit goes first. */
static uint32_t checksum(uint32_t sum, uint64_t data, unsigned bytes, bool castagnoli)
{
	uint32_t polynomial = castagnoli ? 0x82f63b78 : 0xedb88320;

	for (unsigned byte = 0; byte < bytes; byte++) {
		sum ^= (uint8_t)(data >> byte * 8);
		for (unsigned bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? polynomial : 0);
	}
	return sum;
}

/* crc32b ... crc32x; variant 1: crc32c */
AARCH64_EVALUATOR(multiply_crc32)
{
	struct isa_value sum = aarch64_register(s, r->rn, 4), v = ISA_UNKNOWN;
	struct isa_value data = aarch64_cut((struct isa_value){s->gpr[r->rm], s->gpr_known[r->rm]},
					    r->bytes);

	if (aarch64_is_known(sum) && aarch64_is_known(data))
		v = aarch64_known(checksum((uint32_t)sum.bits, data.bits, r->bytes, r->variant));
	aarch64_register_set(s, r->rd, 4, v);
	return ISA_NEXT;
}
