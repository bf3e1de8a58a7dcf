/* SPDX-License-Identifier: MIT */
#include "converter/bolt/from_fdata.h"

#include <string.h>

#include "base/map.h"

struct placer {
	struct binary *binary;
	const struct bolt_profile *p;
	struct map functions; /* (symbol in the profile, 0) -> n = the function's address */
};

static int list_functions(struct placer *x)
{
	size_t count;
	const struct binary_function *all = binary_functions(x->binary, &count);

	for (size_t i = 0; i < count; i++) {
		const char *name = all[i].bolt_name;
		uint32_t symbol = strings_find(x->p->strings, name, strlen(name));
		struct map_entry *e;

		if (symbol == STRINGS_NONE)
			continue;
		e = map_at(&x->functions, symbol, 0);
		if (!e)
			return -1;
		e->n = all[i].begin;
	}
	return 0;
}

/* False if the binary has no such symbol. */
static bool place(const struct placer *x, const struct bolt_location *at, uint64_t *va)
{
	const struct map_entry *e;

	*va = BRANCH_OUTSIDE;
	if (!at->symbol)
		return true;
	e = map_find(&x->functions, at->symbol, 0);
	if (e)
		*va = e->n + at->offset;
	return e;
}

static int add_record(const struct placer *x, const struct bolt_branch *r,
		      struct branch_profile *out, uint64_t *unknown)
{
	struct isa_insn insn = {0};
	uint64_t from, to;
	bool known = place(x, &r->from, &from);
	bool code = from != BRANCH_OUTSIDE && binary_decode(x->binary, from, &insn);

	/* a PLT stub is no function, but a call says where it is */
	if (!place(x, &r->to, &to) && code && insn.target)
		to = insn.target;
	else if (to == BRANCH_OUTSIDE && r->to.symbol)
		known = false;
	if (!known || (from == BRANCH_OUTSIDE && to == BRANCH_OUTSIDE)) {
		*unknown += r->count;
		return 0;
	}
	/* what is behind a call that ends a block: there it goes on, after the call's return */
	if (code && isa_is_call(insn.kind) && to == from + insn.length && insn.target != to)
		return 0;
	if (code && !isa_ends_line(insn.kind) && !isa_is_call(insn.kind) && insn.target != to)
		return to > from && to != BRANCH_OUTSIDE
			       ? branch_profile_add_range(out, from, to, r->count)
			       : 0;
	return branch_profile_add_branch(out, from, to, r->count, r->mispredicted);
}

int from_fdata_add(struct binary *b, const struct bolt_profile *p, struct branch_profile *out,
		   uint64_t *unknown)
{
	struct placer x = {.binary = b, .p = p};
	const struct bolt_branch *r;
	int rc = list_functions(&x);

	*unknown = 0;
	vector_each (&p->branches, r) {
		if (rc)
			break;
		rc = add_record(&x, r, out, unknown);
	}
	map_deinit(&x.functions);
	return rc;
}
