/* SPDX-License-Identifier: MIT */
/*
 * Saving and restoring the extended state. What is saved is kept beside the state, and its memory
 * becomes unknown; restoring it from the same place brings it back. Any other restoring makes the
 * vectors unknown.
 */

#include <cpuid.h>
#include <string.h>

#include "base/atomics.h"
#include "isa/x86_64/operand.h"

/* Each is asked for when a thread has it: CPUID takes 5 to 13 us in virtual machines, and most
 * processes are sampled once or never. Who asks at the same time writes the same. */
struct x86_xsave_part x86_xsave_part(unsigned component)
{
	static struct x86_xsave_part parts[X86_XSAVE_COMPONENTS];
	static uint32_t asked[X86_XSAVE_COMPONENTS];
	struct x86_xsave_part *part = &parts[component];
	unsigned bytes, offset, c, d;

	if (!atomic_read_acquire(&asked[component])) {
		__cpuid_count(0x0d, component, bytes, offset, c, d);
		if (bytes)
			*part = (struct x86_xsave_part){offset, bytes};
		atomic_write_release(&asked[component], 1);
	}
	return *part;
}

#define VECTOR_COMPONENTS                                                           \
	(1u << X86_XSAVE_SSE | 1u << X86_XSAVE_YMM_UPPER | 1u << X86_XSAVE_OPMASK | \
	 1u << X86_XSAVE_ZMM_UPPER | 1u << X86_XSAVE_ZMM_HIGH)

/* Not larger than what is written: there may be a return address right behind it. */
static uint64_t area_bytes(uint32_t components, bool compacted)
{
	uint64_t bytes = X86_XSAVE_HEADER_END;

	for (unsigned i = X86_XSAVE_YMM_UPPER; i < X86_XSAVE_COMPONENTS; i++) {
		struct x86_xsave_part part;

		if (!(components >> i & 1))
			continue;
		part = x86_xsave_part(i);
		if (compacted)
			bytes += part.bytes;
		else if (part.offset + part.bytes > bytes)
			bytes = part.offset + part.bytes;
	}
	return bytes;
}

/* The components that are asked for, in edx:eax; false unless all that hold vectors are. */
static bool all_vectors(const struct isa_state *s, uint32_t *components)
{
	*components = (uint32_t)s->gpr[X86_RAX];
	return (uint32_t)s->gpr_known[X86_RAX] == UINT32_MAX &&
	       (*components & VECTOR_COMPONENTS) == VECTOR_COMPONENTS;
}

/* xsave; variant 1: xsavec, compacted */
X86_EVALUATOR(xsave_save_extended)
{
	struct x86_saved *saved = &s->saved;
	uint64_t address, bytes;
	uint32_t components;

	saved->address = 0;
	if (!x86_address(r, s, &address) || !all_vectors(s, &components)) {
		isa_shadow_forget(&s->shadow);
		x86_unmodelled(s);
		return ISA_NEXT;
	}
	bytes = area_bytes(components, r->variant);
	if (!isa_shadow_fill(&s->shadow, address, bytes, NULL))
		return x86_stop(s, ISA_UNMODELLED, X86_CAUSE_SHADOW_FULL);
	saved->address = address;
	saved->end = address + bytes;
	saved->components = components;
	saved->mxcsr = s->mxcsr;
	saved->mxcsr_known = s->mxcsr_known;
	saved->x87_control = s->x87_control;
	saved->x87_control_known = s->x87_control_known;
	memcpy(saved->vector_known, s->vector_known, sizeof(saved->vector_known));
	memcpy(saved->opmask, s->opmask, sizeof(saved->opmask));
	memcpy(saved->opmask_known, s->opmask_known, sizeof(saved->opmask_known));
	memcpy(saved->vector, s->vector, sizeof(saved->vector));
	return ISA_NEXT;
}

/* xrstor */
X86_EVALUATOR(xsave_restore_extended)
{
	struct x86_saved *saved = &s->saved;
	uint64_t address;
	uint32_t components;

	if (!x86_address(r, s, &address) || !saved->address || address != saved->address ||
	    s->shadow.memory_unknown || !all_vectors(s, &components) ||
	    components != saved->components ||
	    isa_shadow_touched(&s->shadow, saved->address, saved->end))
		return x86_system_forget_vectors(r, s, m);
	s->mxcsr = saved->mxcsr;
	s->mxcsr_known = saved->mxcsr_known;
	if (components >> X86_XSAVE_X87 & 1) {
		s->x87_control = saved->x87_control;
		s->x87_control_known = saved->x87_control_known;
	}
	memcpy(s->vector_known, saved->vector_known, sizeof(saved->vector_known));
	memcpy(s->opmask, saved->opmask, sizeof(saved->opmask));
	memcpy(s->opmask_known, saved->opmask_known, sizeof(saved->opmask_known));
	memcpy(s->vector, saved->vector, sizeof(saved->vector));
	return ISA_NEXT;
}
