/* SPDX-License-Identifier: MIT */
/* A state's beginning, and what is asked of it. */
#include <string.h>

#include "isa/aarch64/operand.h"

#define USER_BITS 48 /* of the addresses of a program whose kernel gives it the usual 256 TiB */

void aarch64_state_start(struct isa_state *s)
{
	s->gpr[AARCH64_ZERO] = 0;
	memset(s->gpr_known, 0xff, sizeof(s->gpr_known));
	s->flags_known = AARCH64_NZCV;
	s->cause = ISA_CAUSE_NONE;
	s->spins.count = 0;
	s->computes_floats = true;
	s->fpcr_known = true;
	s->thread_pointer_known = UINT64_MAX;
	s->machine_known = true;
	s->monitor.bytes = 0;
	s->unmodelled_pc = 0;
	memset(s->vector_known, AARCH64_VECTOR_KNOWN, sizeof(s->vector_known));
	s->sve_bytes = 0;
	s->predicate_known = 0;
	isa_shadow_reset(&s->shadow);
}

/* Kernels with smaller addresses put the code of a pointer in bits that are the address's here. */
void aarch64_state_find_pointer_bits(struct isa_state *s)
{
	s->pointer_bits = s->gpr[AARCH64_SP] >> (USER_BITS - 1) == 1 ? USER_BITS : 0;
}

/* None does: isa/aarch64/host.h. */
bool isa_state_passes_breakpoint(const struct isa_state *s)
{
	(void)s;
	return false;
}

#define SVC	 0xd4000001u
#define SVC_MASK 0xffe0001fu

bool isa_state_is_behind_system_call(const struct isa_state *s, const struct isa_memory *m)
{
	uint32_t before;

	return isa_memory_fetch(m, s->pc - sizeof(before), &before, sizeof(before)) &&
	       (before & SVC_MASK) == SVC;
}

void isa_state_unwind_registers(const struct isa_state *s, uint64_t *out)
{
	memcpy(out, s->gpr, 31 * sizeof(*out));
	out[31] = s->gpr[AARCH64_SP];
	out[32] = s->pc;
}

bool isa_state_divisor(const struct isa_record *r, struct isa_state *s, const struct isa_memory *m,
		       uint64_t *divisor)
{
	struct isa_value v = aarch64_register(s, r->rm, r->size);

	(void)m;
	if (!v.bits || !aarch64_is_known(v))
		return false;
	*divisor = r->attributes & AARCH64_SIGNED ? aarch64_extend_sign(v, r->size).bits : v.bits;
	return true;
}

/* ---- whether what look-ahead claims to know is so ------------------------------------------ */

static bool vectors_agree(const struct isa_state *claimed, const struct isa_state *real,
			  struct isa_difference *d)
{
	for (unsigned i = 0; i < 32; i++)
		if (isa_difference_in_vector(d, i, 2, claimed->vector[i].u64, real->vector[i].u64,
					     claimed->vector_known[i]))
			return false;
	return true;
}

bool isa_state_compare(const struct isa_state *claimed, const struct isa_state *real,
		       struct isa_difference *d)
{
	if (isa_difference_find(d, "pc", 0, claimed->pc, real->pc, UINT64_MAX))
		return false;
	for (unsigned i = 0; i <= AARCH64_SP; i++) {
		if (isa_difference_find(d, "register", i, claimed->gpr[i], real->gpr[i],
					claimed->gpr_known[i]))
			return false;
	}
	if (isa_difference_find(d, "flags", 0, claimed->flags, real->flags, claimed->flags_known) ||
	    isa_difference_find(d, "thread pointer", 0, claimed->thread_pointer,
				real->thread_pointer, claimed->thread_pointer_known) ||
	    isa_difference_find(d, "fpcr", 0, claimed->fpcr, real->fpcr,
				claimed->fpcr_known ? UINT64_MAX : 0))
		return false;
	return vectors_agree(claimed, real, d);
}
