/* SPDX-License-Identifier: MIT */
/*
 * The functions that evaluate instructions, and how they read and write operands. Inside isa/x86_64
 * only. A false return means that the instruction can't be evaluated; the cause is in the state.
 */
#pragma once

#include "isa/operand.h"
#include "isa/x86_64/op.h"

/* The head of a function that evaluates: the record, the state, the program's memory. */
#define X86_EVALUATOR(name)                                                             \
	enum isa_outcome x86_##name(const struct isa_record *r __attribute__((unused)), \
				    struct isa_state *s __attribute__((unused)),        \
				    const struct isa_memory *m __attribute__((unused)))

#define X(name, function) X86_EVALUATOR(function);
X86_OPS(X)
#undef X

/* By op. */
typedef enum isa_outcome (*x86_evaluator)(const struct isa_record *, struct isa_state *,
					  const struct isa_memory *);
extern const x86_evaluator x86_op_evaluators[X86_OP_COUNT];

/* Evaluate the instruction at the state's pc, which is as before if it does not go on. */
enum isa_outcome x86_op_evaluate(const struct isa_record *r, struct isa_state *s,
				 const struct isa_memory *m);

static inline struct isa_value x86_known(uint64_t bits, unsigned bytes)
{
	return (struct isa_value){bits & isa_mask(bytes), isa_mask(bytes)};
}

static inline bool x86_is_known(struct isa_value v, unsigned bytes)
{
	return (v.known & isa_mask(bytes)) == isa_mask(bytes);
}

static inline int64_t x86_sign_extend(uint64_t bits, unsigned bytes)
{
	return (int64_t)(bits << (64 - bytes * 8)) >> (64 - bytes * 8);
}

#define X86_MXCSR_FLAGS 0x3fu

/* What a floating-point instruction may raise stays so; what was raised stays known. */
static inline void x86_mxcsr_raise(struct isa_state *s)
{
	s->mxcsr_known &= ~(X86_MXCSR_FLAGS & ~s->mxcsr);
}

/* The results of this instruction are unknown although its operands may be known. */
static inline void x86_unmodelled(struct isa_state *s)
{
	s->unmodelled_pc = s->pc;
	x86_mxcsr_raise(s);
}

static inline struct isa_value x86_register(const struct isa_state *s, unsigned reg, unsigned bytes)
{
	uint64_t mask = isa_mask(bytes);

	if (bytes == 1 && (reg & X86_HIGH))
		return (struct isa_value){s->gpr[reg & 3] >> 8 & 0xff,
					  s->gpr_known[reg & 3] >> 8 & 0xff};
	return (struct isa_value){s->gpr[reg] & mask, s->gpr_known[reg] & mask};
}

static inline void x86_register_set(struct isa_state *s, unsigned reg, unsigned bytes,
				    struct isa_value v)
{
	uint64_t mask;

	if (bytes == 8) {
		s->gpr[reg] = v.bits;
		s->gpr_known[reg] = v.known;
		return;
	}
	if (bytes == 4) { /* a 32-bit write clears the upper half */
		s->gpr[reg] = (uint32_t)v.bits;
		s->gpr_known[reg] = v.known | 0xffffffff00000000;
		return;
	}
	mask = isa_mask(bytes);
	if (bytes == 1 && (reg & X86_HIGH)) {
		reg &= 3;
		mask = 0xff00;
		v.bits <<= 8;
		v.known <<= 8;
	}
	s->gpr[reg] = (s->gpr[reg] & ~mask) | (v.bits & mask);
	s->gpr_known[reg] = (s->gpr_known[reg] & ~mask) | (v.known & mask);
}

/* The address of the memory operand; false if it is not known. */
static inline bool x86_address(const struct isa_record *r, const struct isa_state *s,
			       uint64_t *address)
{
	uint64_t a = s->gpr[r->base] + (s->gpr[r->index] << r->scale) +
		     (uint64_t)(int64_t)r->displacement;

	if (r->attributes & X86_ADDRESS32)
		a = (uint32_t)a;
	*address = a + s->segment_base[r->segment];
	return (s->gpr_known[r->base] & s->gpr_known[r->index]) == UINT64_MAX;
}

static inline struct isa_value x86_memory_read(const struct isa_record *r, struct isa_state *s,
					       const struct isa_memory *m, unsigned bytes)
{
	uint64_t address;

	return x86_address(r, s, &address) ? isa_load(s, m, address, bytes) : ISA_UNKNOWN;
}

static inline bool x86_memory_write(const struct isa_record *r, struct isa_state *s, unsigned bytes,
				    struct isa_value v)
{
	uint64_t address;

	if (x86_address(r, s, &address))
		return isa_store(s, address, bytes, v);
	isa_shadow_forget(&s->shadow);
	return true;
}

/* ModRM.rm, a register or memory. */
static inline struct isa_value x86_rm_read(const struct isa_record *r, struct isa_state *s,
					   const struct isa_memory *m, unsigned bytes)
{
	if (r->rm == X86_MEMORY)
		return x86_memory_read(r, s, m, bytes);
	return x86_register(s, r->rm, bytes);
}

static inline bool x86_rm_write(const struct isa_record *r, struct isa_state *s, unsigned bytes,
				struct isa_value v)
{
	if (r->rm == X86_MEMORY)
		return x86_memory_write(r, s, bytes, v);
	x86_register_set(s, r->rm, bytes, v);
	return true;
}

/* Pushing, for calls too (isa/x86_64/integer/stack.c). False with the cause in the state, which is
 * as before. */
bool x86_stack_push_value(struct isa_state *s, unsigned bytes, struct isa_value v);

/* ---- flags (flags.c) ------------------------------------------------------------------------ */

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

	bits &= isa_mask(bytes);
	flags |= bits ? 0 : X86_ZF;
	flags |= bits & isa_sign(bytes) ? X86_SF : 0;
	flags |= __builtin_parity((uint8_t)bits) ? 0 : X86_PF;
	return flags;
}

/* ZF, SF and PF of a result as far as it is known. */
void x86_flags_result(struct isa_state *s, struct isa_value v, unsigned bytes);

/* Whether a condition (low 4 bits of jcc's opcode) holds: 0, 1, or -1 if it is not known. */
int x86_flags_condition(const struct isa_state *s, unsigned condition);

/* The flags of cmp a, b. */
void x86_integer_flags_compare(struct isa_state *s, struct isa_value a, struct isa_value b,
			       unsigned bytes);
