/* SPDX-License-Identifier: MIT */
/*
 * Vector registers as lanes of 1 to 8 bytes, the lowest first. What is known of them is known by
 * halves of 8 bytes: a bit each. Inside isa/aarch64 only; both hosts are little-endian.
 */
#ifndef ISA_AARCH64_VECTOR_LANES_H
#define ISA_AARCH64_VECTOR_LANES_H

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
		l.v.u64[0] &= aarch64_mask(bytes);
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

#endif
