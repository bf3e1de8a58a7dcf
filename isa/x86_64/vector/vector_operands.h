/* SPDX-License-Identifier: MIT */
/* Vector operands: reading, and writing under a mask. Inside isa/x86_64 only. */
#pragma once

#include <string.h>

#include "isa/x86_64/operand.h"

/* A vector on its way: a bit of @known for each 8 bytes. What is not known may hold anything. */
struct x86_packed {
	union x86_vector v;
	uint8_t known;
};

#define X86_ALL_LANES 0xff

/* The lanes that hold @bytes. */
static inline uint8_t x86_lanes(unsigned bytes)
{
	return (uint8_t)((1u << (bytes + 7) / 8) - 1);
}

static inline void x86_vector_read(const struct isa_state *s, unsigned reg, struct x86_packed *out)
{
	out->v = s->vector[reg];
	out->known = s->vector_known[reg];
}

/* `bytes` to memory; those of lanes that are not known become unknown. */
enum isa_outcome x86_vector_operands_store(const struct isa_record *r, struct isa_state *s,
					   const struct x86_packed *v);

/* ModRM.rm: a register, or `bytes` of memory, or with EVEX.b one element repeated. */
void x86_vector_operands_rm(const struct isa_record *r, struct isa_state *s,
			    const struct isa_memory *m, struct x86_packed *out);

/* The lowest @element bytes (1, 2, 4, 8) are repeated in all lanes. */
void x86_vector_operands_repeat(struct x86_packed *v, unsigned element);

/*
 * Write @v to register @reg as the encoding says: under the opmask, with `size` bytes significant,
 * and above them zero, or as before for legacy SSE.
 */
void x86_vector_operands_write(const struct isa_record *r, struct isa_state *s, unsigned reg,
			       struct x86_packed *v);

static inline bool x86_opmask_known(const struct isa_state *s, unsigned reg, unsigned bits)
{
	uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

	return (s->opmask_known[reg] & mask) == mask;
}

#define X86_MXCSR_DEFAULT 0x1f80u
#define X86_MXCSR_CONTROL 0xffc0u

/* Does the evaluated thread round as the calling one does anyway? */
static inline bool x86_vector_operands_rounds_by_default(const struct isa_state *s)
{
	return (s->mxcsr_known & X86_MXCSR_CONTROL) == X86_MXCSR_CONTROL &&
	       (s->mxcsr & X86_MXCSR_CONTROL) == X86_MXCSR_DEFAULT;
}

/* Round as the evaluated thread does, with all exceptions masked, until
 * x86_vector_operands_float_end. False if its MXCSR is not known. */
bool x86_vector_operands_float_begin(struct isa_state *s, uint32_t *saved);
/* False if an exception that is not masked would have been raised. */
bool x86_vector_operands_float_end(struct isa_state *s, uint32_t saved);
