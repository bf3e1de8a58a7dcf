/* SPDX-License-Identifier: MIT */
/* The instructions of functions that ran, with their counts, their jumps and their loops. */

#include "base/memory.h"
#include "report/views/function_listing.h"
#include "report/views/view.h"

/* Instructions that ran, as rows. */
struct listing_rows {
	size_t *insns;	 /* by row */
	size_t *of_insn; /* by instruction: its row, or SIZE_MAX */
	size_t count;
	struct function_arrows arrows;
};

static int choose_rows(struct listing_rows *r, const struct function_listing *f)
{
	const struct code *code = f->blocks->code;

	r->insns = memory_alloc_array(code->count + 1, sizeof(*r->insns));
	r->of_insn = memory_alloc_array(code->count + 1, sizeof(*r->of_insn));
	if (!r->insns || !r->of_insn)
		return -1;
	for (size_t i = 0; i < code->count; i++) {
		r->of_insn[i] = f->counts[i] ? r->count : SIZE_MAX;
		if (f->counts[i])
			r->insns[r->count++] = i;
	}
	return 0;
}

/* Jumps that were taken inside the function. */
static int add_arrows(struct listing_rows *r, const struct view_part *p,
		      const struct function_listing *f)
{
	const struct code *code = f->blocks->code;
	const struct map_entry *i = NULL;
	int rc = 0;

	while (!rc && (i = map_next(&p->profile->branches, (struct map_entry *)i))) {
		size_t from = code_find(code, i->a), to = code_find(code, i->b);

		if (from == CODE_NONE || to == CODE_NONE || isa_is_call(code->insns[from].kind) ||
		    code->insns[from].kind == ISA_RETURN || r->of_insn[from] == SIZE_MAX ||
		    r->of_insn[to] == SIZE_MAX)
			continue;
		rc = function_arrows_add(&r->arrows, r->of_insn[from], r->of_insn[to]);
	}
	function_arrows_place(&r->arrows);
	return rc;
}

static void put_outcome(struct document *s, const struct branch_site *site)
{
	if (site && site->kind == ISA_JUMP_CONDITIONAL)
		document_put_share(s, site->ended, site->ended + site->passed);
	else
		document_put_none(s);
	if (site)
		document_put_share(s, site->mispredicted, site->predicted + site->mispredicted);
	else
		document_put_none(s);
}

static void put_row(struct view *v, const struct function_listing *f, const struct listing_rows *r,
		    size_t row)
{
	struct view_part *p = &v->parts.items[f->part];
	const struct isa_insn *insn = &f->blocks->code->insns[r->insns[row]];
	char text[256], arrows[FUNCTION_ARROW_BYTES];
	struct document *s = v->out;

	document_put_number(s, f->counts[r->insns[row]]);
	put_outcome(s, branch_sites_at(&p->sites, insn->address));
	function_arrows_draw(&r->arrows, row, arrows);
	document_put_code(s, arrows);
	function_listing_margin(f, r->insns[row], text, sizeof(text));
	document_put_code(s, text);
	view_put_place(v, f->part, insn->address);
	document_put_code(s, binary_instruction_text(p->binary, insn->address, text, sizeof(text))
				     ? text
				     : NULL);
	if (insn->target)
		view_put_place(v, f->part, insn->target);
	else
		document_put_none(s);
	view_put_source(v, p, insn->address);
}

static int put_function(struct view *v, const struct function_listing *f)
{
	struct listing_rows r = {0};
	int rc = choose_rows(&r, f) ?: add_arrows(&r, &v->parts.items[f->part], f);

	for (size_t row = 0; !rc && row < r.count; row++)
		put_row(v, f, &r, row);
	memory_free(r.insns);
	memory_free(r.of_insn);
	function_arrows_deinit(&r.arrows);
	return rc;
}

int view_assembly(struct view *v)
{
	struct function_listings functions = {0};
	const struct function_listing *f;
	int rc = function_listings_make(&functions, v);

	document_table(v->out, "assembly", "Instructions that ran",
		       "count, probability, mispredicted, arrows: jumps, loops, address, "
		       "instruction, target, source");
	document_draw(v->out, DOCUMENT_LISTING);
	vector_each (&functions.items, f)
		rc = rc ? rc : put_function(v, f);
	function_listings_deinit(&functions);
	return rc;
}
