/* SPDX-License-Identifier: MIT */
/* Branches: Arm ARM, C6.2 (B.cond, CBZ, TBZ, BL, BLR, BR, RET, and their forms with keys). */
#include "isa/aarch64/operand.h"

AARCH64_EVALUATOR(branch_jump)
{
	return isa_take(s, r->target);
}

AARCH64_EVALUATOR(branch_jump_conditional)
{
	int holds = aarch64_flags_condition(s, r->variant);

	if (holds < 0)
		return isa_stop_unresolved(s);
	return holds ? isa_take(s, r->target) : ISA_NEXT;
}

/* cbz; variant 1: cbnz */
AARCH64_EVALUATOR(branch_jump_zero)
{
	struct isa_value v = aarch64_register(s, r->rn, r->size);

	if (!v.bits && !aarch64_is_known(v))
		return isa_stop_unresolved(s);
	return (v.bits != 0) == r->variant ? isa_take(s, r->target) : ISA_NEXT;
}

/* tbz; variant 1: tbnz */
AARCH64_EVALUATOR(branch_jump_bit)
{
	if (!(s->gpr_known[r->rn] >> r->shift & 1))
		return isa_stop_unresolved(s);
	return (s->gpr[r->rn] >> r->shift & 1) == r->variant ? isa_take(s, r->target) : ISA_NEXT;
}

/* A branch with a key strips the authentication code, which alone is unknown of a signed pointer.
 */
static bool target_of(const struct isa_record *r, const struct isa_state *s, uint64_t *target)
{
	struct isa_value v = {s->gpr[r->rn], s->gpr_known[r->rn]};

	if (r->word >> 11 & 1) /* braa, blraa, retaa and the like */
		v = aarch64_pointer_strip_code(s, v);
	*target = aarch64_untagged(v.bits);
	return aarch64_is_address(v);
}

/* br, ret */
AARCH64_EVALUATOR(branch_jump_indirect)
{
	uint64_t target;

	return target_of(r, s, &target) ? isa_take(s, target) : isa_stop_unresolved(s);
}

AARCH64_EVALUATOR(branch_call)
{
	aarch64_register_set(s, AARCH64_LR, 8, aarch64_known(s->pc + r->length));
	return isa_take(s, r->target);
}

AARCH64_EVALUATOR(branch_call_indirect)
{
	uint64_t target;

	if (!target_of(r, s, &target))
		return isa_stop_unresolved(s);
	aarch64_register_set(s, AARCH64_LR, 8, aarch64_known(s->pc + r->length));
	return isa_take(s, target);
}
