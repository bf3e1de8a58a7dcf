/* SPDX-License-Identifier: MIT */
/* A thread's registers in a form that does not depend on where they come from, and states for look-
 * ahead that are loaded from it: every register is known. */
#pragma once

#include <string.h>

#include "isa/evaluate.h"

#if defined(__aarch64__) || defined(ISA_EVALUATE_AARCH64)

#include "isa/aarch64/operand.h"

struct snapshot {
	uint64_t x[31], sp, pc, pstate, thread_pointer, fpcr, cache_type, zero_block;
	uint64_t pointer_bits, sve_bytes;
	union aarch64_vector vector[32];
};

static inline void snapshot_load(struct isa_state *s, const struct snapshot *from)
{
	aarch64_state_start(s);
	memcpy(s->gpr, from->x, sizeof(from->x));
	s->gpr[AARCH64_SP] = from->sp;
	s->pc = from->pc;
	s->flags = from->pstate >> AARCH64_PSTATE_SHIFT & AARCH64_NZCV;
	s->thread_pointer = from->thread_pointer;
	s->fpcr = (uint32_t)from->fpcr;
	s->cache_type = from->cache_type;
	s->zero_block = from->zero_block;
	s->pointer_bits = (uint8_t)from->pointer_bits;
	s->sve_bytes = (uint16_t)from->sve_bytes;
	memcpy(s->vector, from->vector, sizeof(s->vector));
}

#else

#include "isa/x86_64/state/status.h"

/* What tests/unit/replay's files keep. */
struct snapshot {
	uint64_t gpr[16], pc, flags, fs_base, gs_base, mxcsr, x87_control;
	uint64_t opmask[8];
	union x86_vector vector[32];
};

static inline void snapshot_load(struct isa_state *s, const struct snapshot *from)
{
	const struct isa_registers registers = {.general = {
							.rip = from->pc,
							.eflags = from->flags,
							.fs_base = from->fs_base,
							.gs_base = from->gs_base,
						}};

	isa_state_load_ptrace(s, &registers, NULL, 0);
	memcpy(s->gpr, from->gpr, sizeof(from->gpr));
	s->mxcsr = (uint32_t)from->mxcsr;
	s->mxcsr_known = UINT32_MAX;
	s->x87_control = (uint16_t)from->x87_control;
	s->x87_control_known = UINT16_MAX;
	memcpy(s->opmask, from->opmask, sizeof(s->opmask));
	memset(s->opmask_known, 0xff, sizeof(s->opmask_known));
	memcpy(s->vector, from->vector, sizeof(s->vector));
	memset(s->vector_known, 0xff, sizeof(s->vector_known));
}

static inline void snapshot_save(const struct isa_state *s, struct snapshot *to)
{
	uint64_t known;

	memset(to, 0, sizeof(*to));
	memcpy(to->gpr, s->gpr, sizeof(to->gpr));
	to->pc = s->pc;
	to->flags = s->flags;
	if (s->whole)
		x86_status_flags(s, &to->flags, &known);
	to->fs_base = s->segment_base[1];
	to->gs_base = s->segment_base[2];
	to->mxcsr = s->mxcsr;
	to->x87_control = s->x87_control;
	memcpy(to->opmask, s->opmask, sizeof(to->opmask));
	memcpy(to->vector, s->vector, sizeof(to->vector));
}

#endif
