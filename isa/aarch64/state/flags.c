/* SPDX-License-Identifier: MIT */
/* N, Z, C and V of a state, and the conditions on them (Arm ARM, C1.2.4). */
#include "isa/aarch64/operand.h"

/* Sets of values of the flags, as bits: those in which a flag is set. */
#define WITH_V 0xaaaau
#define WITH_C 0xccccu
#define WITH_Z 0xf0f0u
#define WITH_N 0xff00u
/* N and V differ */
#define DIFFER (WITH_N ^ WITH_V)

const uint16_t aarch64_flags_hold[8] = {
	WITH_Z,			     /* eq */
	WITH_C,			     /* cs */
	WITH_N,			     /* mi */
	WITH_V,			     /* vs */
	WITH_C & ~WITH_Z,	     /* hi */
	0xffffu & ~DIFFER,	     /* ge */
	0xffffu & ~DIFFER & ~WITH_Z, /* gt */
	0xffffu,		     /* al */
};

int aarch64_flags_condition_partly(const struct isa_state *s, unsigned condition)
{
	static const uint16_t with[4] = {WITH_V, WITH_C, WITH_Z, WITH_N};
	uint16_t possible = 0xffff, holds = aarch64_flags_hold[condition >> 1];

	if ((condition & 1) && condition != 15)
		holds = (uint16_t)~holds;
	for (unsigned i = 0; i < 4; i++) {
		if (s->flags_known >> i & 1)
			possible &= s->flags >> i & 1 ? with[i] : (uint16_t)~with[i];
	}
	holds &= possible;
	return holds == possible ? 1 : holds ? -1 : 0;
}

static void of_result(struct isa_value v, unsigned bytes, unsigned *flags, unsigned *known)
{
	uint64_t mask = isa_mask(bytes), sign = isa_sign(bytes);

	*flags = (v.bits & sign ? AARCH64_N : 0) | (v.bits & mask ? 0 : AARCH64_Z);
	*known = (v.known & sign ? AARCH64_N : 0) |
		 ((v.known & mask) == mask || (v.bits & mask) ? AARCH64_Z : 0);
}

void aarch64_flags_of_logic(struct isa_state *s, struct isa_value v, unsigned bytes)
{
	unsigned flags, known;

	of_result(v, bytes, &flags, &known);
	aarch64_flags_set(s, flags, known | AARCH64_C | AARCH64_V);
}

/* The carry out of a sum of @bytes. */
static bool carries(uint64_t a, uint64_t b, uint64_t carry, unsigned bytes)
{
	uint64_t sum;

	if (bytes < 8)
		return (a + b + carry) >> bytes * 8;
	return __builtin_add_overflow(a, b, &sum) || __builtin_add_overflow(sum, carry, &sum);
}

struct isa_value aarch64_flags_sum(struct isa_state *s, struct isa_value a, struct isa_value b,
				   struct isa_value carry, unsigned bytes)
{
	struct isa_value v = aarch64_cut(aarch64_sum(a, b, carry), bytes);
	uint64_t sign = isa_sign(bytes), mask = isa_mask(bytes);
	uint64_t over = (a.bits ^ v.bits) & (b.bits ^ v.bits) & sign;
	bool least = carries(a.bits, b.bits, carry.bits, bytes);
	bool most = carries((a.bits | ~a.known) & mask, (b.bits | ~b.known) & mask,
			    carry.bits | (~carry.known & 1), bytes);
	unsigned flags, known;

	of_result(v, bytes, &flags, &known);
	flags |= (least ? AARCH64_C : 0) | (over ? AARCH64_V : 0);
	known |= least == most ? AARCH64_C : 0;
	if (a.known & b.known & v.known & sign)
		known |= AARCH64_V;
	aarch64_flags_set(s, flags, known);
	return v;
}
