/* SPDX-License-Identifier: MIT */
/* Status flags, each known or not. Source: Intel SDM volume 1, 3.4.3; volume 2, appendix B. */
#include "isa/x86_64/operand.h"

void x86_flags_result(struct isa_state *s, struct isa_value v, unsigned bytes)
{
	uint64_t mask = isa_mask(bytes), known = 0;
	uint64_t flags = x86_flags_of(v.bits, bytes);

	if ((v.known & mask) == mask || (v.bits & mask))
		known |= X86_ZF;
	if (v.known & isa_sign(bytes))
		known |= X86_SF;
	if ((v.known & 0xff) == 0xff)
		known |= X86_PF;
	x86_flags_set(s, X86_ZF | X86_SF | X86_PF, flags, known);
}

/* A flag as 0, 1, or -1. */
static int flag(const struct isa_state *s, uint64_t which)
{
	if (!(s->flags_known & which))
		return -1;
	return (s->flags & which) != 0;
}

static int either(int a, int b)
{
	if (a == 1 || b == 1)
		return 1;
	return a < 0 || b < 0 ? -1 : 0;
}

static int differ(int a, int b)
{
	return a < 0 || b < 0 ? -1 : a != b;
}

int x86_flags_condition(const struct isa_state *s, unsigned condition)
{
	int carry = flag(s, X86_CF), zero = flag(s, X86_ZF), sign = flag(s, X86_SF);
	int overflow = flag(s, X86_OF), less = differ(sign, overflow);
	const int pairs[8] = {
		overflow, carry,	   zero, either(carry, zero),
		sign,	  flag(s, X86_PF), less, either(zero, less),
	};
	int holds = pairs[condition >> 1 & 7];

	return holds < 0 ? -1 : holds ^ (int)(condition & 1);
}
