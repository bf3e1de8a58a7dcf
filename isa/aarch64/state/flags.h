/* SPDX-License-Identifier: MIT */
/* N, Z, C and V of a state, and the conditions on them (Arm ARM, C1.2.4). */
#pragma once

#include "isa/aarch64/operand.h"

/* For each of the 16 values of the flags a bit: does the condition (its upper three bits) hold? */
extern const uint16_t aarch64_flags_hold[8];

/* The condition where a flag is not known. */
int aarch64_flags_condition_partly(const struct isa_state *s, unsigned condition);

/* 1 or 0; -1: not known. */
static inline int aarch64_flags_condition(const struct isa_state *s, unsigned condition)
{
	bool inverted = (condition & 1) && condition != 15;

	if (s->flags_known != AARCH64_NZCV)
		return aarch64_flags_condition_partly(s, condition);
	return (aarch64_flags_hold[condition >> 1] >> s->flags & 1) ^ inverted;
}

static inline void aarch64_flags_set(struct isa_state *s, unsigned flags, unsigned known)
{
	s->flags = (uint8_t)(flags & known);
	s->flags_known = (uint8_t)known;
}

/* N and Z of a result of @bytes; C and V are clear: of logic. */
void aarch64_flags_of_logic(struct isa_state *s, struct isa_value v, unsigned bytes);

/* @a plus @b plus a bit that is @carry, all with zeros above @bytes; and all four flags. */
struct isa_value aarch64_flags_sum(struct isa_state *s, struct isa_value a, struct isa_value b,
				   struct isa_value carry, unsigned bytes);
