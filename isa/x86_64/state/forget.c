/* SPDX-License-Identifier: MIT */
/* Vector registers and opmasks that become unknown. */
#include <string.h>

#include "isa/x86_64/op.h"
#include "isa/x86_64/operand.h"

static void forget_vector(struct isa_state *s, unsigned reg)
{
	s->vector_known[reg] = 0;
	memset(&s->vector[reg], 0, sizeof(s->vector[reg]));
}

static void forget_opmask(struct isa_state *s, unsigned reg)
{
	s->opmask[reg] = s->opmask_known[reg] = 0;
}

X86_EVALUATOR(forget_vectors)
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
X86_EVALUATOR(forget_vector)
{
	forget_vector(s, r->variant);
	forget_vector(s, r->element);
	x86_unmodelled(s);
	return ISA_NEXT;
}

X86_EVALUATOR(forget_opmask)
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
X86_EVALUATOR(forget_gather)
{
	forget_vector(s, r->variant);
	clear_opmask(s, r->mask);
	x86_unmodelled(s);
	return ISA_NEXT;
}

/* The same with memory, anywhere. */
X86_EVALUATOR(forget_scatter)
{
	isa_shadow_forget(&s->shadow);
	clear_opmask(s, r->mask);
	x86_unmodelled(s);
	return ISA_NEXT;
}
