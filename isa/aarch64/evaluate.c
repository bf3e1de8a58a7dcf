/* SPDX-License-Identifier: MIT */
/* isa/evaluate.h for AArch64: which function evaluates which operation. */
#include "isa/evaluate.h"

#include "isa/aarch64/op.h"

static enum isa_outcome (*const evaluators[AARCH64_OP_COUNT])(const struct isa_record *,
							      struct isa_state *,
							      const struct isa_memory *) = {
#define X(name, function) [AARCH64_OP_##name] = aarch64_##function,
	AARCH64_OPS(X)
#undef X
};

const struct isa_record *isa_evaluate_line(const struct isa_record *r, const struct isa_record *end,
					   struct isa_state *s, const struct isa_memory *m,
					   enum isa_outcome *last)
{
	uint64_t next = s->pc;
	enum isa_outcome outcome;

	do {
		s->pc = next;
		next += r->length;
		outcome = evaluators[r->op](r, s, m);
		if (__builtin_expect(outcome != ISA_NEXT, 0))
			break;
	} while (++r < end);
	*last = outcome;
	if (outcome == ISA_NEXT)
		s->pc = next;
	return r;
}
