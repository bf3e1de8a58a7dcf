/* SPDX-License-Identifier: MIT */
/* System registers, and what can't be evaluated: Arm ARM, C5 and D13. */
#include "isa/aarch64/operand.h"

AARCH64_EVALUATOR(system_nothing)
{
	return ISA_NEXT;
}

static struct isa_value flags_of(const struct isa_state *s)
{
	return (struct isa_value){
		(uint64_t)s->flags << AARCH64_PSTATE_SHIFT,
		~((uint64_t)AARCH64_NZCV << AARCH64_PSTATE_SHIFT) | (uint64_t)s->flags_known
									    << AARCH64_PSTATE_SHIFT,
	};
}

static struct isa_value known_if(bool known, uint64_t bits)
{
	return known ? aarch64_known(bits) : ISA_UNKNOWN;
}

/* mrs: what is not in the state (clocks, the machine's features) is unknown */
AARCH64_EVALUATOR(system_read)
{
	struct isa_value v = ISA_UNKNOWN;

	switch (r->variant) {
	case AARCH64_TPIDR:
		v = (struct isa_value){s->thread_pointer, s->thread_pointer_known};
		break;
	case AARCH64_CTR:
		v = known_if(s->machine_known, s->cache_type);
		break;
	case AARCH64_DCZID:
		v = known_if(s->machine_known, s->zero_block);
		break;
	case AARCH64_REGISTER_NZCV:
		v = flags_of(s);
		break;
	case AARCH64_REGISTER_FPCR:
		v = known_if(s->fpcr_known, s->fpcr);
		break;
	default:
		aarch64_unmodelled(s);
	}
	aarch64_register_set(s, r->rd, 8, v);
	return ISA_NEXT;
}

/* Bits of FPCR that are there in no machine, or only in some, read as zero or as written. */
#define FPCR_EVERYWHERE UINT64_C(0x07c00000) /* AHP, DN, FZ, RMode */

/* msr */
AARCH64_EVALUATOR(system_write)
{
	struct isa_value v = aarch64_register(s, r->rd, 8);

	switch (r->variant) {
	case AARCH64_TPIDR:
		s->thread_pointer = v.bits;
		s->thread_pointer_known = v.known;
		break;
	case AARCH64_REGISTER_NZCV:
		aarch64_flags_set(s, (unsigned)(v.bits >> AARCH64_PSTATE_SHIFT),
				  v.known >> AARCH64_PSTATE_SHIFT & AARCH64_NZCV);
		break;
	case AARCH64_REGISTER_FPCR:
		s->fpcr_known = aarch64_is_known(v) && !(v.bits & ~FPCR_EVERYWHERE);
		s->fpcr = s->fpcr_known ? (uint32_t)v.bits : 0;
		break;
	}
	return ISA_NEXT;
}

/* rd is not computed */
AARCH64_EVALUATOR(system_forget)
{
	aarch64_unmodelled(s);
	aarch64_register_set(s, r->rd, 8, ISA_UNKNOWN);
	return ISA_NEXT;
}

AARCH64_EVALUATOR(system_forget_flags)
{
	aarch64_unmodelled(s);
	aarch64_flags_set(s, 0, 0);
	return ISA_NEXT;
}

/* The variant is the cause. */
AARCH64_EVALUATOR(system_unmodelled)
{
	return isa_stop(s, ISA_UNMODELLED, (enum isa_cause)r->variant);
}
