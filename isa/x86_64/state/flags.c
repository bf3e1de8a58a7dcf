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
	int holds = -1;

	switch (condition >> 1 & 7) {
	case 0:
		holds = flag(s, X86_OF);
		break;
	case 1:
		holds = flag(s, X86_CF);
		break;
	case 2:
		holds = flag(s, X86_ZF);
		break;
	case 3:
		holds = either(flag(s, X86_CF), flag(s, X86_ZF));
		break;
	case 4:
		holds = flag(s, X86_SF);
		break;
	case 5:
		holds = flag(s, X86_PF);
		break;
	case 6:
		holds = differ(flag(s, X86_SF), flag(s, X86_OF));
		break;
	case 7:
		holds = either(flag(s, X86_ZF), differ(flag(s, X86_SF), flag(s, X86_OF)));
		break;
	}
	return holds < 0 ? -1 : holds ^ (int)(condition & 1);
}
