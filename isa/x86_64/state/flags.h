/* SPDX-License-Identifier: MIT */
/* Status flags, each known or not. Source: Intel SDM volume 1, 3.4.3; volume 2, appendix B. */
#pragma once

#include "isa/x86_64/operand.h"

/* Set the flags in @mask to @flags, of which @known (a part of @mask) are known. */
static inline void x86_flags_set(struct isa_state *s, uint64_t mask, uint64_t flags, uint64_t known)
{
	s->flags = (s->flags & ~mask) | (flags & known);
	s->flags_known = (s->flags_known & ~mask) | known;
}

static inline void x86_flags_forget(struct isa_state *s, uint64_t mask)
{
	x86_flags_set(s, mask, 0, 0);
}

static inline void x86_flag_assign(struct isa_state *s, uint64_t flag, bool on, bool known)
{
	x86_flags_set(s, flag, on ? flag : 0, known ? flag : 0);
}

/* ZF, SF and PF of a known result. */
static inline uint64_t x86_flags_of(uint64_t bits, unsigned bytes)
{
	uint64_t flags = 0;

	bits &= x86_mask(bytes);
	flags |= bits ? 0 : X86_ZF;
	flags |= bits & x86_sign(bytes) ? X86_SF : 0;
	flags |= __builtin_parity((uint8_t)bits) ? 0 : X86_PF;
	return flags;
}

/* ZF, SF and PF of a result as far as it is known. */
void x86_flags_result(struct isa_state *s, struct isa_value v, unsigned bytes);

/* x86_flags_condition where not all status flags are known. */
int x86_flags_condition_partly(const struct isa_state *s, unsigned condition);

/* Whether a condition (low 4 bits of jcc's opcode) holds: 0, 1, or -1 if it is not known. */
static inline int x86_flags_condition(const struct isa_state *s, unsigned condition)
{
	/* each pair of conditions: one of these, or that SF and OF differ */
	static const uint16_t any[8] = {X86_OF, X86_CF, X86_ZF, X86_CF | X86_ZF,
					X86_SF, X86_PF, 0,	X86_ZF};
	uint64_t all = X86_CF | X86_ZF | X86_SF | X86_PF | X86_OF, flags = s->flags;
	unsigned pair = condition >> 1 & 7;
	bool holds;

	_Static_assert(X86_OF == X86_SF << 4, "the shift must match the flags");
	if ((s->flags_known & all) != all)
		return x86_flags_condition_partly(s, condition);
	holds = flags & any[pair];
	if (pair >= 6)
		holds |= (flags >> 4 ^ flags) & X86_SF;
	return holds ^ (int)(condition & 1);
}

/* The flags of cmp a, b. */
void x86_integer_flags_compare(struct isa_state *s, struct isa_value a, struct isa_value b,
			       unsigned bytes);
