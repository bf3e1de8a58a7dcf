/* SPDX-License-Identifier: MIT */
/* isa/evaluate.h for AArch64: which function evaluates which operation. */
#include "isa/evaluate.h"

#include "isa/aarch64/op.h"
#include "isa/path.h"

static enum isa_outcome (*const evaluators[AARCH64_OP_COUNT])(const struct isa_record *,
							      struct isa_state *,
							      const struct isa_memory *) = {
#define X(name, function) [AARCH64_OP_##name] = aarch64_##function,
	AARCH64_OPS(X)
#undef X
};

enum isa_outcome isa_evaluate_line(const struct isa_record **first, struct isa_state *s,
				   const struct isa_memory *m)
{
	const struct isa_record *r = *first;
	uint64_t next = s->pc;
	enum isa_outcome outcome;
	bool last;

	do {
		s->pc = next;
		next += r->length;
		outcome = evaluators[r->op](r, s, m);
		if (__builtin_expect(outcome != ISA_NEXT, 0))
			break;
		last = r->kind != ISA_OTHER;
		r++;
	} while (!last && r->length);
	*first = r;
	if (outcome == ISA_NEXT)
		s->pc = next;
	return outcome;
}

enum isa_outcome isa_evaluate_path(struct isa_path *p, struct isa_state *s,
				   const struct isa_memory *m)
{
	const struct isa_block *b = p->block;
	enum isa_outcome outcome;

	do {
		p->block = b;
		p->record = b->records;
		outcome = isa_evaluate_line(&p->record, s, m);
		if (outcome != ISA_NEXT && outcome != ISA_TAKEN)
			break;
		b = isa_path_leave(p, b, &s->shadow, outcome == ISA_TAKEN, s->pc);
	} while (b);
	return outcome;
}
