/* SPDX-License-Identifier: MIT */
/* What only the machine or the kernel can tell, and the x87's effects outside of itself. */
#include <string.h>

#include "isa/x86_64/operand.h"

/*
 * rdtsc, cpuid and their like: each register whose bit is set in `variant` becomes unknown, `size`
 * bytes of it, and the flags in the immediate; those in its upper half become zero.
 */
X86_EVALUATOR(system_clobber)
{
	for (unsigned reg = 0; reg < 16; reg++) {
		if (r->variant >> reg & 1)
			x86_register_set(s, reg, r->size, ISA_UNKNOWN);
	}
	x86_flags_forget(s, (uint32_t)r->immediate);
	x86_flags_set(s, r->immediate >> 32, 0, r->immediate >> 32);
	x86_unmodelled(s);
	return ISA_NEXT;
}

/* `variant` bytes of memory become unknown: fnsave, fst, fxsave and their like. */
X86_EVALUATOR(system_store_unknown)
{
	uint64_t address;

	x86_unmodelled(s);
	if (!r->variant || !x86_address(r, s, &address)) {
		isa_shadow_forget(&s->shadow);
		return ISA_NEXT;
	}
	for (unsigned i = 0; i < r->variant; i += 8) {
		unsigned bytes = r->variant - i < 8 ? r->variant - i : 8;

		if (!isa_store(s, address + i, bytes, ISA_UNKNOWN))
			return ISA_UNMODELLED;
	}
	return ISA_NEXT;
}

X86_EVALUATOR(system_store_mxcsr)
{
	struct isa_value v = {s->mxcsr, s->mxcsr_known};

	return x86_memory_write(r, s, 4, v) ? ISA_NEXT : ISA_UNMODELLED;
}

X86_EVALUATOR(system_load_mxcsr)
{
	struct isa_value v = x86_memory_read(r, s, m, 4);

	s->mxcsr = (uint32_t)v.bits;
	s->mxcsr_known = (uint32_t)v.known;
	return ISA_NEXT;
}

/* Bits of the control word that read as 0 or 1 whatever was loaded. */
#define X87_CONTROL_FIXED 0xe0c0u
#define X87_CONTROL_ONE	  0x0040u

/* fnstcw */
X86_EVALUATOR(system_store_x87_control)
{
	struct isa_value v = {s->x87_control, s->x87_control_known};

	return x86_memory_write(r, s, 2, v) ? ISA_NEXT : ISA_UNMODELLED;
}

/* fldcw */
X86_EVALUATOR(system_load_x87_control)
{
	struct isa_value v = x86_memory_read(r, s, m, 2);

	s->x87_control = (uint16_t)((v.bits & ~X87_CONTROL_FIXED) | X87_CONTROL_ONE);
	s->x87_control_known = (uint16_t)(v.known | X87_CONTROL_FIXED);
	return ISA_NEXT;
}

/* fninit, fldenv, frstor, and what stores the x87 and then changes it: fnstenv, fnsave */
X86_EVALUATOR(system_forget_x87_control)
{
	s->x87_control = s->x87_control_known = 0;
	if (r->variant)
		return x86_system_store_unknown(r, s, m);
	return ISA_NEXT;
}

/* ---- vector registers and opmasks that become unknown -------------------------------------- */

static void forget_vector(struct isa_state *s, unsigned reg)
{
	s->vector_known[reg] = 0;
	memset(&s->vector[reg], 0, sizeof(s->vector[reg]));
}

static void forget_opmask(struct isa_state *s, unsigned reg)
{
	s->opmask[reg] = s->opmask_known[reg] = 0;
}

X86_EVALUATOR(system_forget_vectors)
{
	for (unsigned i = 0; i < 32; i++)
		forget_vector(s, i);
	for (unsigned i = 0; i < 8; i++)
		forget_opmask(s, i);
	s->mxcsr = s->mxcsr_known = 0;
	s->x87_control = s->x87_control_known = 0;
	x86_unmodelled(s);
	return ISA_NEXT;
}

/* `variant`, and `element` if it is another one */
X86_EVALUATOR(system_forget_vector)
{
	forget_vector(s, r->variant);
	forget_vector(s, r->element);
	x86_unmodelled(s);
	return ISA_NEXT;
}

X86_EVALUATOR(system_forget_opmask)
{
	forget_opmask(s, r->variant);
	forget_opmask(s, r->element);
	x86_unmodelled(s);
	return ISA_NEXT;
}

static void clear_opmask(struct isa_state *s, unsigned reg)
{
	s->opmask[reg] = 0;
	s->opmask_known[reg] = UINT64_MAX;
}

/* EVEX gather: the vector; its opmask counts the elements off, down to 0. */
X86_EVALUATOR(system_forget_gather)
{
	forget_vector(s, r->variant);
	clear_opmask(s, r->mask);
	x86_unmodelled(s);
	return ISA_NEXT;
}

/* EVEX scatter: memory at any address; its opmask counts the elements off, down to 0. */
X86_EVALUATOR(system_forget_scatter)
{
	isa_shadow_forget(&s->shadow);
	clear_opmask(s, r->mask);
	x86_unmodelled(s);
	return ISA_NEXT;
}

/* ---- what is not modelled ------------------------------------------------------------------ */

/* `variant` is the cause. */
X86_EVALUATOR(system_unmodelled)
{
	return isa_stop(s, ISA_UNMODELLED, r->variant);
}
