/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing an evaluated instruction's operands. Inside isa/aarch64 only.
 * A false return means that the instruction can't be evaluated; the cause is in the state.
 */
#pragma once

#include "isa/aarch64/op.h"
#include "isa/operand.h"

static inline struct isa_value aarch64_known(uint64_t bits)
{
	return (struct isa_value){bits, UINT64_MAX};
}

static inline bool aarch64_is_known(struct isa_value v)
{
	return v.known == UINT64_MAX;
}

/* The low @bytes, with zeros above, which are known. */
static inline struct isa_value aarch64_cut(struct isa_value v, unsigned bytes)
{
	uint64_t mask = isa_mask(bytes);

	return (struct isa_value){v.bits & mask, v.known | ~mask};
}

static inline uint64_t aarch64_sign_extend(uint64_t bits, unsigned width)
{
	return (uint64_t)((int64_t)(bits << (64 - width)) >> (64 - width));
}

/* The low @bytes of a value, with copies of their sign above. */
static inline struct isa_value aarch64_extend_sign(struct isa_value v, unsigned bytes)
{
	return (struct isa_value){aarch64_sign_extend(v.bits, bytes * 8),
				  aarch64_sign_extend(v.known, bytes * 8)};
}

/* The results of this instruction are unknown although its operands may be known. */
static inline void aarch64_unmodelled(struct isa_state *s)
{
	s->unmodelled_pc = s->pc;
}

/* Its low @bytes, 4 or 8, with zeros above. */
static inline struct isa_value aarch64_register(const struct isa_state *s, unsigned reg,
						unsigned bytes)
{
	return aarch64_cut((struct isa_value){s->gpr[reg], s->gpr_known[reg]}, bytes);
}

/* A write of 4 bytes clears the upper half. */
static inline void aarch64_register_set(struct isa_state *s, unsigned reg, unsigned bytes,
					struct isa_value v)
{
	if (reg == AARCH64_ZERO)
		return;
	v = aarch64_cut(v, bytes);
	s->gpr[reg] = v.bits;
	s->gpr_known[reg] = v.known;
}

/* The registers of a pair follow each other; behind x30 is xzr. */
static inline unsigned aarch64_pair_register(unsigned first, unsigned number)
{
	unsigned reg = first + number;

	return reg == 31 ? AARCH64_ZERO : reg;
}

/* Where memory is accessed. */
struct aarch64_place {
	uint64_t address;
	bool known;
	struct isa_value base; /* what the base register is afterwards */
};

/* The top byte of an address is a tag (Arm ARM, D5.1.5): bits 63 to 56 are as bit 55. */
static inline uint64_t aarch64_untagged(uint64_t address)
{
	return aarch64_sign_extend(address, 56);
}

#define AARCH64_ADDRESS_MASK UINT64_C(0x00ffffffffffffff)

static inline bool aarch64_is_address(struct isa_value v)
{
	return (v.known & AARCH64_ADDRESS_MASK) == AARCH64_ADDRESS_MASK;
}

/*
 * @a plus @b plus the bit @carry. Any carry between bits is set if it is for lesser operands: what
 * comes out for the least and for the greatest ones comes out for all.
 */
static inline struct isa_value aarch64_sum(struct isa_value a, struct isa_value b,
					   struct isa_value carry)
{
	uint64_t least = a.bits + b.bits + carry.bits;
	uint64_t most = (a.bits | ~a.known) + (b.bits | ~b.known) +
			(carry.bits | (~carry.known & 1));
	uint64_t known = a.known & b.known & ~(least ^ most);

	return (struct isa_value){least & known, known};
}

/* rm, extended and shifted as the record says */
static inline struct isa_value aarch64_extended(const struct isa_record *r,
						const struct isa_state *s)
{
	struct isa_value v = {s->gpr[r->rm], s->gpr_known[r->rm]};
	unsigned bytes = 1u << (r->extend & 3);

	if (bytes < 8)
		v = r->extend & 4 ? aarch64_extend_sign(v, bytes) : aarch64_cut(v, bytes);
	v.bits <<= r->shift;
	v.known = v.known << r->shift | ((UINT64_C(1) << r->shift) - 1);
	return v;
}

static inline struct aarch64_place aarch64_place(const struct isa_record *r,
						 const struct isa_state *s)
{
	struct isa_value base = {s->gpr[r->rn], s->gpr_known[r->rn]}, moved, at;
	struct isa_value offset = r->attributes & AARCH64_INDEXED ? aarch64_extended(r, s)
								  : aarch64_known(r->immediate);

	if ((base.known & offset.known) == UINT64_MAX)
		moved = aarch64_known(base.bits + offset.bits);
	else
		moved = aarch64_sum(base, offset, aarch64_known(0));
	at = r->attributes & AARCH64_ACCESS_FIRST ? base : moved;
	return (struct aarch64_place){
		.address = aarch64_untagged(at.bits),
		.known = aarch64_is_address(at),
		.base = moved,
	};
}

/* Behind the access: pre-index and post-index. */
static inline void aarch64_place_done(const struct isa_record *r, struct isa_state *s,
				      const struct aarch64_place *p)
{
	if (r->attributes & AARCH64_BASE_CHANGES)
		aarch64_register_set(s, r->rn, 8, p->base);
}

/* ---- flags (flags.c) ------------------------------------------------------------------------ */

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
