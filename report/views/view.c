/* SPDX-License-Identifier: MIT */
#include "report/views/view.h"

#include "formats/model/source_profile.h"
#include "report/code_place.h"

uint64_t view_branches_taken(const struct view *v)
{
	const struct view_part *p;
	uint64_t sum = 0;

	vector_each (&v->parts, p) {
		const struct map_entry *i = NULL;

		while ((i = map_next(&p->profile->branches, (struct map_entry *)i)))
			sum = source_count_add(sum, i->a == BRANCH_OUTSIDE ? 0 : i->n);
	}
	return sum;
}

size_t view_shown(const struct view *v, size_t count)
{
	const size_t top = v->options->top;

	return top && top < count ? top : count;
}

uint64_t view_instructions(struct view *v, size_t part, uint64_t begin, uint64_t end)
{
	struct binary *b = v->parts.items[part].binary;
	uint64_t va = begin, count = 0;
	struct isa_insn insn;

	while (b && va <= end && binary_decode(b, va, &insn)) {
		count++;
		va += insn.length;
	}
	return va > end ? count : 0;
}

void view_put_place(struct view *v, size_t part, uint64_t va)
{
	char text[4096];

	if (part == VIEW_NO_PART)
		document_put_none(v->out);
	else if (code_place_text(v->parts.items[part].binary, v->parts.items[part].module, va, text,
				 sizeof(text)))
		document_put_symbol(v->out, text);
	else
		document_put_text(v->out, text);
}
