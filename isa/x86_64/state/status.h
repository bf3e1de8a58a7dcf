/* SPDX-License-Identifier: MIT */
/*
 * The status flags of a state that is whole, as `lahf` and `seto` give them: AH is the upper byte
 * (SF ZF - AF - PF - CF), OF the lowest bit; and in six bits more which of them are not known.
 * Inside isa/x86_64 only.
 */
#pragma once

#include <emmintrin.h>

#include "isa/evaluate.h"

enum x86_status {
	X86_STATUS_OF = 0x0001,
	X86_STATUS_NO_AF = 0x0002, /* AF is not known */
	X86_STATUS_NO_OF = 0x0004, /* OF */
	X86_STATUS_NO_ZF = 0x0008, /* ZF */
	X86_STATUS_NO_CF = 0x0010, /* CF */
	X86_STATUS_NO_SF = 0x0020, /* SF */
	X86_STATUS_NO_PF = 0x0040, /* PF */
	X86_STATUS_NO_ALL = 0x007e,
	X86_STATUS_CF = 0x0100,
	X86_STATUS_PF = 0x0400,
	X86_STATUS_ZF = 0x4000,
	X86_STATUS_SF = 0x8000,
};

#define X86_AH_FLAGS (X86_CF | X86_PF | X86_AF | X86_ZF | X86_SF)

/* The status flags of a whole state become flags as all states have them. */
static inline void x86_status_flags(const struct isa_state *s, uint64_t *flags, uint64_t *known)
{
	unsigned status = s->status;
	uint64_t unknown = (status & X86_STATUS_NO_AF ? X86_AF : 0) |
			   (status & X86_STATUS_NO_OF ? X86_OF : 0) |
			   (status & X86_STATUS_NO_ZF ? X86_ZF : 0) |
			   (status & X86_STATUS_NO_SF ? X86_SF : 0) |
			   (status & X86_STATUS_NO_PF ? X86_PF : 0) |
			   (status & X86_STATUS_NO_CF ? X86_CF : 0);
	uint64_t now = (status >> 8 & X86_AH_FLAGS) | (status & X86_STATUS_OF ? X86_OF : 0);

	*flags = (s->flags & ~(uint64_t)X86_STATUS_FLAGS) | (now & ~unknown);
	*known = (s->flags_known | X86_STATUS_FLAGS) & ~unknown;
}

/* A whole state becomes one that may be changed in any way. */
static inline void x86_status_end(struct isa_state *s)
{
	if (!s->whole)
		return;
	x86_status_flags(s, &s->flags, &s->flags_known);
	s->whole = false;
}

/* Are all general registers known? */
static inline bool x86_status_registers_known(const struct isa_state *s)
{
	__m128i known = _mm_set1_epi8(-1), all = known;

	for (unsigned r = 0; r < ISA_GENERAL_REGISTERS; r += 2)
		known = _mm_and_si128(known, _mm_loadu_si128((const __m128i *)&s->gpr_known[r]));
	return _mm_movemask_epi8(_mm_cmpeq_epi8(known, all)) == 0xffff;
}

/* A state becomes whole if it can. */
static inline bool x86_status_begin(struct isa_state *s)
{
	const uint64_t known = s->flags_known;

	if (!x86_status_registers_known(s))
		return false;
	s->status = (uint16_t)((s->flags & X86_AH_FLAGS) << 8 |
			       (s->flags & X86_OF ? X86_STATUS_OF : 0) |
			       (known & X86_AF ? 0 : X86_STATUS_NO_AF) |
			       (known & X86_OF ? 0 : X86_STATUS_NO_OF) |
			       (known & X86_ZF ? 0 : X86_STATUS_NO_ZF) |
			       (known & X86_SF ? 0 : X86_STATUS_NO_SF) |
			       (known & X86_PF ? 0 : X86_STATUS_NO_PF) |
			       (known & X86_CF ? 0 : X86_STATUS_NO_CF));
	s->whole = true;
	return true;
}

/* Whether a condition (low 4 bits of jcc's opcode) holds: 0, 1, or -1 if it is not known. */
static inline int x86_status_condition(unsigned status, unsigned condition)
{
	/* each pair of conditions: one of these, or that SF and OF differ */
	static const uint16_t any[8] = {X86_STATUS_OF,
					X86_STATUS_CF,
					X86_STATUS_ZF,
					X86_STATUS_CF | X86_STATUS_ZF,
					X86_STATUS_SF,
					X86_STATUS_PF,
					0,
					X86_STATUS_ZF};
	static const uint16_t unknown[8] = {X86_STATUS_NO_OF,
					    X86_STATUS_NO_CF,
					    X86_STATUS_NO_ZF,
					    X86_STATUS_NO_CF | X86_STATUS_NO_ZF,
					    X86_STATUS_NO_SF,
					    X86_STATUS_NO_PF,
					    X86_STATUS_NO_OF | X86_STATUS_NO_SF,
					    X86_STATUS_NO_OF | X86_STATUS_NO_SF | X86_STATUS_NO_ZF};
	unsigned pair = condition >> 1 & 7;
	bool holds = status & any[pair];

	if (status & unknown[pair])
		return -1;
	if (pair >= 6)
		holds |= (status >> 15 ^ status) & 1;
	return holds ^ (int)(condition & 1);
}
