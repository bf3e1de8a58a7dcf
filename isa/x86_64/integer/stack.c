/* SPDX-License-Identifier: MIT */
/* The stack. Source: Intel SDM volume 2. */
#include "isa/x86_64/operand.h"

bool x86_stack_push_value(struct isa_state *s, unsigned bytes, struct isa_value v)
{
	uint64_t to = s->gpr[X86_RSP] - bytes;

	if (s->gpr_known[X86_RSP] != UINT64_MAX) {
		isa_shadow_forget(&s->shadow);
		s->gpr[X86_RSP] = s->gpr_known[X86_RSP] = 0;
		return true;
	}
	if (!isa_store(s, to, bytes, v))
		return false;
	s->gpr[X86_RSP] = to;
	return true;
}

static struct isa_value x86_stack_pop_value(struct isa_state *s, const struct isa_memory *m,
					    unsigned bytes)
{
	uint64_t from = s->gpr[X86_RSP];

	if (s->gpr_known[X86_RSP] != UINT64_MAX) {
		s->gpr[X86_RSP] = s->gpr_known[X86_RSP] = 0;
		return ISA_UNKNOWN;
	}
	s->gpr[X86_RSP] += bytes;
	return isa_load(s, m, from, bytes);
}

X86_EVALUATOR(stack_push)
{
	struct isa_value v;

	if (r->attributes & X86_IMMEDIATE)
		v = x86_known(r->immediate, r->size);
	else
		v = x86_rm_read(r, s, m, r->size);
	return x86_stack_push_value(s, r->size, v) ? ISA_NEXT : ISA_UNMODELLED;
}

/* An address that uses rsp uses the one behind the pop; pop rsp itself gets what was popped. */
X86_EVALUATOR(stack_pop)
{
	uint64_t sp = s->gpr[X86_RSP], sp_known = s->gpr_known[X86_RSP];
	struct isa_value v = x86_stack_pop_value(s, m, r->size);

	if (x86_rm_write(r, s, r->size, v))
		return ISA_NEXT;
	s->gpr[X86_RSP] = sp;
	s->gpr_known[X86_RSP] = sp_known;
	return ISA_UNMODELLED;
}

/* What popf of user code can change: the status flags, TF, DF, NT, AC, ID. */
#define POP_FLAGS UINT64_C(0x244dd5)

X86_EVALUATOR(stack_push_flags)
{
	/* RF and VM are pushed as zero; a stepping debugger may hide or show TF */
	uint64_t unsure = UINT64_C(0x30100);
	struct isa_value v = {s->flags & ~unsure & isa_mask(r->size),
			      s->flags_known & ~unsure & isa_mask(r->size)};

	return x86_stack_push_value(s, r->size, v) ? ISA_NEXT : ISA_UNMODELLED;
}

X86_EVALUATOR(stack_pop_flags)
{
	uint64_t change = POP_FLAGS & isa_mask(r->size);
	struct isa_value v = x86_stack_pop_value(s, m, r->size);

	if (v.bits & v.known & change & X86_TRAPPING_FLAGS)
		return isa_stop(s, ISA_UNMODELLED, ISA_CAUSE_UNMODELLED);
	x86_flags_set(s, change, v.bits & change, v.known & change);
	return ISA_NEXT;
}

/* enter n, 0; deeper nesting is not used by compilers */
X86_EVALUATOR(stack_enter)
{
	if (r->immediate >> 16 & 0x1f)
		return isa_stop(s, ISA_UNMODELLED, ISA_CAUSE_UNMODELLED);
	if (!x86_stack_push_value(s, 8, x86_register(s, X86_RBP, 8)))
		return ISA_UNMODELLED;
	x86_register_set(s, X86_RBP, 8, x86_register(s, X86_RSP, 8));
	s->gpr[X86_RSP] -= r->immediate & 0xffff;
	if (s->gpr_known[X86_RSP] != UINT64_MAX)
		s->gpr[X86_RSP] = 0;
	return ISA_NEXT;
}

X86_EVALUATOR(stack_leave)
{
	struct isa_value frame = x86_register(s, X86_RBP, 8), v = ISA_UNKNOWN;

	if (x86_is_known(frame, 8)) {
		v = isa_load(s, m, frame.bits, r->size);
		frame.bits += r->size;
	} else {
		frame = ISA_UNKNOWN;
	}
	x86_register_set(s, X86_RSP, 8, frame);
	x86_register_set(s, X86_RBP, r->size, v);
	return ISA_NEXT;
}
