/* SPDX-License-Identifier: MIT */
/*
 * What the functions that evaluate instructions do alike on all CPUs: values of which some bits are
 * known, memory, stopping. Inside isa/ only.
 */
#pragma once

#include "isa/evaluate.h"

#define ISA_UNKNOWN ((struct isa_value){0, 0})

static inline uint64_t isa_mask(unsigned bytes)
{
	return UINT64_MAX >> (64 - bytes * 8);
}

static inline uint64_t isa_sign(unsigned bytes)
{
	return UINT64_C(1) << (bytes * 8 - 1);
}

/* A value that is one of two: what both agree on is known. */
static inline struct isa_value isa_either(struct isa_value a, struct isa_value b)
{
	uint64_t known = a.known & b.known & ~(a.bits ^ b.bits);

	return (struct isa_value){a.bits & known, known};
}

static inline struct isa_value isa_not(struct isa_value v)
{
	return (struct isa_value){~v.bits & v.known, v.known};
}

static inline struct isa_value isa_and(struct isa_value a, struct isa_value b)
{
	return (struct isa_value){a.bits & b.bits,
				  (a.known & b.known) | (a.known & ~a.bits) | (b.known & ~b.bits)};
}

static inline struct isa_value isa_or(struct isa_value a, struct isa_value b)
{
	return (struct isa_value){a.bits | b.bits, (a.known & b.known) | a.bits | b.bits};
}

static inline struct isa_value isa_xor(struct isa_value a, struct isa_value b)
{
	uint64_t known = a.known & b.known;

	return (struct isa_value){(a.bits ^ b.bits) & known, known};
}

/* Memory that can't be read (a device's, the kernel's clock page) is unknown. */
static inline struct isa_value isa_load(const struct isa_state *s, const struct isa_memory *m,
					uint64_t address, unsigned bytes)
{
	struct isa_value v;

	return isa_shadow_load(&s->shadow, m, address, bytes, &v) ? v : ISA_UNKNOWN;
}

/* False: the shadow is full, and the instruction can't be evaluated. */
static inline bool isa_store(struct isa_state *s, uint64_t address, unsigned bytes,
			     struct isa_value v)
{
	if (isa_shadow_store(&s->shadow, address, bytes, v))
		return true;
	s->cause = ISA_CAUSE_SHADOW_FULL;
	return false;
}

static inline enum isa_outcome isa_stop(struct isa_state *s, enum isa_outcome outcome,
					enum isa_cause cause)
{
	s->cause = cause;
	return outcome;
}

/* A branch that depends on an unknown. */
static inline enum isa_outcome isa_stop_unresolved(struct isa_state *s)
{
	return isa_stop(s, ISA_UNRESOLVED, ISA_CAUSE_UNKNOWN);
}

static inline enum isa_outcome isa_take(struct isa_state *s, uint64_t target)
{
	s->pc = target;
	return ISA_TAKEN;
}

/* isa_difference_find of the 8 bytes of vectors, of which @known has a bit each. */
static inline bool isa_difference_in_vector(struct isa_difference *d, unsigned number,
					    unsigned lanes, const uint64_t *claimed,
					    const uint64_t *real, unsigned known)
{
	for (unsigned i = 0; i < lanes; i++) {
		uint64_t all = known >> i & 1 ? UINT64_MAX : 0;

		if (isa_difference_find(d, "vector", number * lanes + i, claimed[i], real[i], all))
			return true;
	}
	return false;
}
