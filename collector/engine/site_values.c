/* SPDX-License-Identifier: MIT */
#include "collector/engine/site_values.h"

void site_values_begin(struct site_values *v)
{
	reservoir_begin(&v->kept);
	v->jump = 0;
}

/* Where the next one goes, NULL if it is not kept. */
static struct site_value *place(struct site_values *v)
{
	uint32_t at = reservoir_place(&v->kept);

	return at == RESERVOIR_NOWHERE ? NULL : &v->items[at];
}

static void take_call(struct site_values *v, uint64_t site, uint64_t target,
		      const struct isa_state *s)
{
	struct site_value *to = place(v);

	if (!to)
		return;
	to->site = site;
	to->value = target;
	to->has_arguments = isa_state_arguments(s, to->arguments);
}

/* A stub of the PLT jumps at once, or behind an instruction for indirect branch tracking. */
static bool is_in_stub(const struct isa_record *r, uint64_t from, uint64_t before)
{
	return isa_record_is_stub(r) && from - before <= 4;
}

/* Which jumps leave the function nobody knows here, but those that come to a stub do, and indirect
 * ones may where the stack is as at the function's entry: the converter knows. */
void site_values_branch(struct site_values *v, const struct isa_record *r, uint64_t from,
			uint64_t before, const struct isa_state *s)
{
	uint64_t jump = v->jump;

	v->jump = r->kind == ISA_JUMP ? from : 0;
	if (isa_is_call(r->kind))
		take_call(v, from, isa_state_pc(s), s);
	else if (jump && is_in_stub(r, from, before))
		take_call(v, jump, before, s);
	else if (r->kind == ISA_JUMP_INDIRECT && !is_in_stub(r, from, before) &&
		 isa_state_stack_is_at_entry(s))
		take_call(v, from, isa_state_pc(s), s);
}

void site_values_division(struct site_values *v, const struct isa_record *r, struct isa_state *s,
			  const struct isa_memory *m)
{
	struct site_value *to;
	uint64_t divisor;

	if (!isa_state_divisor(r, s, m, &divisor))
		return;
	to = place(v);
	if (to)
		*to = (struct site_value){.site = isa_state_pc(s), .value = divisor};
}
