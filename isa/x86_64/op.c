/* SPDX-License-Identifier: MIT */
/*
 * Which function evaluates which operation, and what holds for all of them: the next instruction's
 * address, flags that only a finished instruction changes, spinning.
 */
#include "isa/evaluate.h"

#include "isa/x86_64/operand.h"

const x86_evaluator x86_op_evaluators[X86_OP_COUNT] = {
#define X(name, function) [X86_OP_##name] = x86_##function,
	X86_OPS(X)
#undef X
};

static enum isa_outcome evaluate_locked(const struct isa_record *r, struct isa_state *s,
					const struct isa_memory *m)
{
	struct isa_value before, after;
	enum isa_outcome outcome;
	unsigned bytes = r->size <= 8 ? r->size : 8;
	uint64_t address, pc = s->pc;

	if (!x86_address(r, s, &address))
		return x86_op_evaluators[r->op](r, s, m);
	before = isa_load(s, m, address, bytes);
	if (isa_spins_rounds(&s->spins, pc, address, before))
		return isa_stop(s, ISA_UNMODELLED, ISA_CAUSE_SPIN);
	outcome = x86_op_evaluators[r->op](r, s, m);
	if (outcome != ISA_NEXT || r->base == X86_RSP) /* the stack is the thread's own */
		return outcome;
	after = isa_load(s, m, address, bytes);
	if (before.bits == after.bits && before.known == after.known)
		isa_spins_note(&s->spins, pc, address, after);
	else
		isa_spins_forget(&s->spins, address);
	return outcome;
}

enum isa_outcome x86_op_evaluate(const struct isa_record *r, struct isa_state *s,
				 const struct isa_memory *m)
{
	uint64_t flags = s->flags, flags_known = s->flags_known;
	enum isa_outcome outcome;

	s->gpr[X86_RIP] = s->pc + r->length;
	outcome = r->attributes & X86_LOCK ? evaluate_locked(r, s, m)
					   : x86_op_evaluators[r->op](r, s, m);
	if (outcome != ISA_NEXT && outcome != ISA_TAKEN) {
		s->flags = flags;
		s->flags_known = flags_known;
	}
	return outcome;
}
