/* SPDX-License-Identifier: MIT */
/* One trace of the recording, branch after branch, as lines of source. */
#include "base/memory.h"
#include "report/views/code_group.h"
#include "report/views/followed_traces.h"

struct one_trace {
	struct view *view;
	struct followed_traces all;
	uint64_t number; /* of traces so far */
	VECTOR(uint32_t) branches;
};

static int take_trace(void *context, const struct followed_traces *all,
		      const struct followed_trace *t)
{
	struct one_trace *o = context;

	(void)all;
	if (++o->number != o->view->options->trace)
		return 0;
	if (vector_reserve(&o->branches, t->count))
		return -1;
	for (size_t i = 0; i < t->count; i++)
		o->branches.items[o->branches.count++] = t->branches[i];
	return 0;
}

/* What ran between a branch and the next: its instructions and lines. */
static int put_code(struct one_trace *o, size_t step)
{
	const uint32_t *b = &o->branches.items[step];
	struct place_lines lines = {0};
	struct followed_range range;
	uint64_t instructions = 0;
	char text[400];
	int rc = 0;

	if (step + 1 < o->branches.count && followed_traces_range(&o->all, b[0], b[1], &range)) {
		instructions = view_instructions(o->view, range.part, range.begin, range.end);
		rc = source_places_lines(&o->view->parts.items[range.part].places, range.begin,
					 range.end, &lines);
	}
	if (instructions)
		document_put_number(o->view->out, instructions);
	else
		document_put_none(o->view->out);
	source_places_put_lines(&lines, text, sizeof(text));
	if (lines.items.count)
		document_put_text(o->view->out, text);
	else
		document_put_none(o->view->out);
	vector_deinit(&lines.items);
	return rc;
}

static int put_step(struct one_trace *o, size_t step)
{
	const uint32_t branch = o->branches.items[step];
	const struct followed_place *from = followed_traces_from(&o->all, branch),
				    *to = followed_traces_to(&o->all, branch);
	struct document *s = o->view->out;

	document_put_number(s, step + 1);
	document_put_text(s, code_group_kind(o->all.branches.items[branch].kind));
	view_put_place(o->view, from->part, from->va);
	view_put_place(o->view, to->part, to->va);
	return put_code(o, step);
}

static int put_trace(struct one_trace *o)
{
	static const struct document_column columns[] = {
		{"step", "step"},
		{"kind", "kind"},
		{"from", "from"},
		{"to", "to"},
		{"instructions", "instructions"},
		{"source", "source"},
	};
	int rc = 0;

	document_fact_number(o->view->out, "traces", "traces", o->number);
	if (o->number < o->view->options->trace)
		document_fact_text(o->view->out, "trace_note", "trace",
				   "- (there are not so many whole traces)");
	document_table(o->view->out, "trace", "The trace, and what ran behind each branch",
		       COLUMNS(columns));
	for (size_t i = 0; !rc && i < o->branches.count; i++)
		rc = put_step(o, i);
	return rc;
}

int view_trace(struct view *v)
{
	struct one_trace o = {.view = v};
	int rc = followed_traces_each(&o.all, v, take_trace, &o);

	if (!rc)
		rc = put_trace(&o);
	vector_deinit(&o.branches);
	followed_traces_deinit(&o.all);
	return rc;
}
