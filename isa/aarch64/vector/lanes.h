/* SPDX-License-Identifier: MIT */
/*
 * Vector registers as lanes of 1 to 8 bytes, the lowest first. What is known of them is known by
 * halves of 8 bytes: a bit each. Inside isa/aarch64 only; both hosts are little-endian.
 */
#pragma once

#include <string.h>

#include "isa/aarch64/operand.h"

struct aarch64_lanes {
	union aarch64_vector v;
	unsigned known; /* bits by halves */
};

static inline struct aarch64_lanes aarch64_lanes_of(const struct isa_state *s, unsigned reg)
{
	return (struct aarch64_lanes){s->vector[reg], s->vector_known[reg]};
}

/* @bytes of a register are written, the rest becomes zero. */
static inline void aarch64_lanes_write(struct isa_state *s, unsigned reg, unsigned bytes,
				       struct aarch64_lanes l)
{
	if (bytes < 16) {
		l.v.u64[1] = 0;
		l.known |= 2;
	}
	if (bytes < 8)
		l.v.u64[0] &= isa_mask(bytes);
	for (unsigned half = 0; half < 2; half++) {
		if (!(l.known >> half & 1))
			l.v.u64[half] = 0;
	}
	s->vector[reg] = l.v;
	s->vector_known[reg] = (uint8_t)(l.known & AARCH64_VECTOR_KNOWN);
}

static inline uint64_t aarch64_lanes_get(const struct aarch64_lanes *l, unsigned bytes, unsigned i)
{
	uint64_t lane = 0;

	memcpy(&lane, l->v.u8 + (size_t)i * bytes, bytes);
	return lane;
}

static inline void aarch64_lanes_set(struct aarch64_lanes *l, unsigned bytes, unsigned i,
				     uint64_t lane)
{
	memcpy(l->v.u8 + (size_t)i * bytes, &lane, bytes);
}

/* All halves, if those that are needed are known; else none. */
static inline unsigned aarch64_lanes_all_or_none(unsigned known, unsigned needed)
{
	return (known & needed) == needed ? AARCH64_VECTOR_KNOWN : 0;
}

/* The halves that @bytes from the lowest on are in. */
static inline unsigned aarch64_lanes_halves(unsigned bytes)
{
	return bytes > 8 ? 3 : 1;
}

/* A general value of which all bits are known or not, as a lane: false if not. */
static inline bool aarch64_lanes_from(struct isa_value v, uint64_t *lane)
{
	*lane = v.bits;
	return aarch64_is_known(v);
}

/* ---- kernels: what one lane becomes (isa/aarch64/vector/kernel.c) ---------------------------- */

/* What vector instructions compute lane by lane. */

/* As three registers have them, then those of one and of shifts by a constant. */
enum aarch64_kernel {
	AARCH64_VECTOR_NO_KERNEL,
	AARCH64_VECTOR_AND,
	AARCH64_VECTOR_BIC,
	AARCH64_VECTOR_ORR,
	AARCH64_VECTOR_ORN,
	AARCH64_VECTOR_EOR,
	AARCH64_VECTOR_BSL,
	AARCH64_VECTOR_BIT,
	AARCH64_VECTOR_BIF,
	AARCH64_VECTOR_ADD,
	AARCH64_VECTOR_SUB,
	AARCH64_VECTOR_MUL,
	AARCH64_VECTOR_MLA,
	AARCH64_VECTOR_MLS,
	AARCH64_VECTOR_CMTST,
	AARCH64_VECTOR_CMEQ,
	AARCH64_VECTOR_CMGT,
	AARCH64_VECTOR_CMHI,
	AARCH64_VECTOR_CMGE,
	AARCH64_VECTOR_CMHS,
	AARCH64_VECTOR_SMAX,
	AARCH64_VECTOR_UMAX,
	AARCH64_VECTOR_SMIN,
	AARCH64_VECTOR_UMIN,
	AARCH64_VECTOR_SABD,
	AARCH64_VECTOR_UABD,
	AARCH64_VECTOR_SABA,
	AARCH64_VECTOR_UABA,
	AARCH64_VECTOR_SSHL,
	AARCH64_VECTOR_USHL,
	AARCH64_VECTOR_UQSUB,
	/* of one operand */
	AARCH64_VECTOR_CLS,
	AARCH64_VECTOR_CLZ,
	AARCH64_VECTOR_CNT,
	AARCH64_VECTOR_NOT,
	AARCH64_VECTOR_RBIT,
	AARCH64_VECTOR_CMLE,
	AARCH64_VECTOR_CMLT,
	AARCH64_VECTOR_ABS,
	AARCH64_VECTOR_NEG,
	/* shifts by the second operand */
	AARCH64_VECTOR_SSHR,
	AARCH64_VECTOR_USHR,
	AARCH64_VECTOR_SSRA,
	AARCH64_VECTOR_USRA,
	AARCH64_VECTOR_SHL,
	AARCH64_VECTOR_SLI,
	AARCH64_VECTOR_SRI,
};

/* By enum aarch64_kernel. @a and @b are lanes of @bits, with zeros above; @old is what the result
 * had before. */
uint64_t aarch64_kernel_lane(unsigned kernel, uint64_t a, uint64_t b, uint64_t old, unsigned bits);
