/* SPDX-License-Identifier: MIT */
/* What only the machine or the kernel can tell, and the x87's effects outside of itself. */
#include "isa/x86_64/state/flags.h"
#include "isa/x86_64/op.h"

/*
 * rdtsc, cpuid and their like: each register whose bit is set in `variant` becomes unknown, `size`
 * bytes of it, and the flags in the immediate; those in its upper half become zero.
 */
enum isa_outcome x86_system_clobber(const struct isa_record *r, struct isa_state *s,
				    const struct isa_memory *m)
{
	(void)m;
	for (unsigned reg = 0; reg < 16; reg++) {
		if (r->variant >> reg & 1)
			x86_register_set(s, reg, r->size, X86_UNKNOWN);
	}
	x86_flags_forget(s, (uint32_t)r->immediate);
	x86_flags_set(s, r->immediate >> 32, 0, r->immediate >> 32);
	x86_unmodelled(s);
	return ISA_NEXT;
}

/* `variant` bytes of memory become unknown: fnsave, fst, fxsave and their like. */
enum isa_outcome x86_system_store_unknown(const struct isa_record *r, struct isa_state *s,
					  const struct isa_memory *m)
{
	uint64_t address;

	(void)m;
	x86_unmodelled(s);
	if (!r->variant || !x86_address(r, s, &address)) {
		isa_shadow_forget(&s->shadow);
		return ISA_NEXT;
	}
	for (unsigned i = 0; i < r->variant; i += 8) {
		unsigned bytes = r->variant - i < 8 ? r->variant - i : 8;

		if (!x86_store(s, address + i, bytes, X86_UNKNOWN))
			return ISA_UNMODELLED;
	}
	return ISA_NEXT;
}

enum isa_outcome x86_system_store_mxcsr(const struct isa_record *r, struct isa_state *s,
					const struct isa_memory *m)
{
	struct isa_value v = {s->mxcsr, s->mxcsr_known};

	(void)m;
	return x86_memory_write(r, s, 4, v) ? ISA_NEXT : ISA_UNMODELLED;
}

enum isa_outcome x86_system_load_mxcsr(const struct isa_record *r, struct isa_state *s,
				       const struct isa_memory *m)
{
	struct isa_value v;

	v = x86_memory_read(r, s, m, 4);
	s->mxcsr = (uint32_t)v.bits;
	s->mxcsr_known = (uint32_t)v.known;
	return ISA_NEXT;
}

/* Bits of the control word that read as 0 or 1 whatever was loaded. */
#define X87_CONTROL_FIXED 0xe0c0u
#define X87_CONTROL_ONE	  0x0040u

/* fnstcw */
enum isa_outcome x86_system_store_x87_control(const struct isa_record *r, struct isa_state *s,
					      const struct isa_memory *m)
{
	struct isa_value v = {s->x87_control, s->x87_control_known};

	(void)m;
	return x86_memory_write(r, s, 2, v) ? ISA_NEXT : ISA_UNMODELLED;
}

/* fldcw */
enum isa_outcome x86_system_load_x87_control(const struct isa_record *r, struct isa_state *s,
					     const struct isa_memory *m)
{
	struct isa_value v = x86_memory_read(r, s, m, 2);

	s->x87_control = (uint16_t)((v.bits & ~X87_CONTROL_FIXED) | X87_CONTROL_ONE);
	s->x87_control_known = (uint16_t)(v.known | X87_CONTROL_FIXED);
	return ISA_NEXT;
}

/* fninit, fldenv, frstor, and what stores the x87 and then changes it: fnstenv, fnsave */
enum isa_outcome x86_system_forget_x87_control(const struct isa_record *r, struct isa_state *s,
					       const struct isa_memory *m)
{
	s->x87_control = s->x87_control_known = 0;
	if (r->variant)
		return x86_system_store_unknown(r, s, m);
	return ISA_NEXT;
}

/* `variant` is the cause. */
enum isa_outcome x86_system_unmodelled(const struct isa_record *r, struct isa_state *s,
				       const struct isa_memory *m)
{
	(void)m;
	return x86_stop(s, ISA_UNMODELLED, r->variant);
}
