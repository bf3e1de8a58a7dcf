/* SPDX-License-Identifier: MIT */
/* Branches. Source: Intel SDM volume 2 (Jcc, LOOP, JMP, CALL, RET). */
#include "isa/x86_64/operand.h"

X86_EVALUATOR(branch_jump)
{
	return isa_take(s, r->target);
}

X86_EVALUATOR(branch_jump_conditional)
{
	int holds = x86_flags_condition(s, r->variant);

	if (holds < 0)
		return isa_stop_unresolved(s);
	return holds ? isa_take(s, r->target) : ISA_NEXT;
}

X86_EVALUATOR(branch_loop)
{
	struct isa_value count = x86_register(s, X86_RCX, r->size);
	bool zero = s->flags & X86_ZF;

	if (!x86_is_known(count, r->size))
		return isa_stop_unresolved(s);
	if (r->variant == X86_JRCXZ)
		return count.bits ? ISA_NEXT : isa_take(s, r->target);
	count = x86_known(count.bits - 1, r->size);
	if (count.bits && r->variant != X86_LOOP_PLAIN && !(s->flags_known & X86_ZF))
		return isa_stop_unresolved(s);
	x86_register_set(s, X86_RCX, r->size, count);
	if (!count.bits || (r->variant != X86_LOOP_PLAIN && zero != (r->variant == X86_LOOPE)))
		return ISA_NEXT;
	return isa_take(s, r->target);
}

/* ISA_TAKEN: *target is known. */
static enum isa_outcome indirect_target(const struct isa_record *r, struct isa_state *s,
					const struct isa_memory *m, uint64_t *target)
{
	struct isa_value v = x86_rm_read(r, s, m, 8);

	*target = v.bits;
	return x86_is_known(v, 8) ? ISA_TAKEN : isa_stop_unresolved(s);
}

X86_EVALUATOR(branch_jump_indirect)
{
	uint64_t target;
	enum isa_outcome outcome = indirect_target(r, s, m, &target);

	return outcome == ISA_TAKEN ? isa_take(s, target) : outcome;
}

static enum isa_outcome call(struct isa_state *s, uint64_t target)
{
	if (!x86_stack_push_value(s, 8, x86_known(s->gpr[X86_RIP], 8)))
		return ISA_UNMODELLED;
	return isa_take(s, target);
}

X86_EVALUATOR(branch_call)
{
	return call(s, r->target);
}

X86_EVALUATOR(branch_call_indirect)
{
	uint64_t target;
	enum isa_outcome outcome = indirect_target(r, s, m, &target);

	return outcome == ISA_TAKEN ? call(s, target) : outcome;
}

/* The immediate is what ret n drops behind the return address. */
X86_EVALUATOR(branch_return)
{
	struct isa_value target = ISA_UNKNOWN;

	if (s->gpr_known[X86_RSP] == UINT64_MAX)
		target = isa_load(s, m, s->gpr[X86_RSP], 8);
	if (!x86_is_known(target, 8))
		return isa_stop_unresolved(s);
	s->gpr[X86_RSP] += 8 + r->immediate;
	return isa_take(s, target.bits);
}
