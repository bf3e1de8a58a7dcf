/* SPDX-License-Identifier: MIT */
/*
 * What led to a line of source, or what followed it: a tree of the blocks that ran before (after)
 * each arrival at the line, and the lines that ran between two arrivals. A node of the tree is a
 * block together with its branch, below the blocks that ran nearer to the line. And one trace of
 * the recording, branch after branch.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/order.h"
#include "report/views/followed_traces.h"
#include "report/views/view.h"

/* Branches that are looked at on one side of an arrival. */
#define DEPTH_MOST 8
/* Nodes beyond are not kept: arrivals that differ so much have no tree to show. */
#define NODES_MOST (1u << 20)
#define NONE	   UINT32_MAX

/* A block that ran and the branch on its side that is away from the line. */
struct run {
	struct followed_range range;
	uint32_t branch;
	bool arrives; /* the line is in it */
	uint32_t first_line, line_count;
};

struct node {
	uint32_t parent, run, depth;
	uint64_t times;
};

struct line_count {
	struct place_line line;
	uint64_t last; /* the arrival that it was counted in last, from 1 on */
	uint64_t times;
};

struct around {
	struct view *view;
	bool before;
	const struct report_line *line;
	struct followed_traces all;
	struct map run_numbers, node_numbers, line_numbers;
	VECTOR(struct run) runs;
	VECTOR(uint32_t) run_lines; /* numbers of lines */
	VECTOR(struct line_count) lines;
	VECTOR(struct node) nodes; /* the first is the root: the line itself */
	VECTOR(uint32_t) trace;	   /* runs of the trace at hand, in the order of walking away */
	uint64_t arrivals, arrivals_seen;
};

/* ---- runs ---------------------------------------------------------------------------------- */

static int number_line(struct around *a, const struct place_line *l, uint32_t *number)
{
	uint32_t file = strings_add_text(a->view->out->strings, l->file);
	const struct line_count *known = map_item(&a->line_numbers, file, (uint64_t)l->line,
						  &a->lines,
						  (struct line_count){.line = {l->file, l->line}});

	if (file == STRINGS_NONE || !known)
		return -1;
	*number = (uint32_t)(known - a->lines.items);
	return 0;
}

static int take_lines(struct around *a, struct run *r)
{
	struct source_places *places = &a->view->parts.items[r->range.part].places;
	struct place_lines found = {0};
	const struct place_line *l;
	int rc = source_places_lines(places, r->range.begin, r->range.end, &found);

	r->arrives = source_places_have(places, r->range.begin, r->range.end,
					file_base_name(a->line->file), a->line->line);
	r->first_line = (uint32_t)a->run_lines.count;
	vector_each (&found.items, l) {
		uint32_t *slot = rc ? NULL : vector_push(&a->run_lines);

		rc = slot ? number_line(a, l, slot) : -1;
	}
	r->line_count = (uint32_t)a->run_lines.count - r->first_line;
	vector_deinit(&found.items);
	return rc;
}

/* The block between two branches: its number, or NONE if it is no code that is known. */
static int number_run(struct around *a, uint32_t branch, uint32_t next, uint32_t *number)
{
	uint32_t own = a->before ? next : branch;
	uint32_t end = a->before ? a->all.branches.items[branch].to
				 : a->all.branches.items[next].from;
	const size_t known = a->runs.count;
	struct followed_range range;
	struct run *run;

	*number = NONE;
	if (!followed_traces_range(&a->all, branch, next, &range))
		return 0;
	run = map_item(&a->run_numbers, own, end, &a->runs,
		       (struct run){.range = range, .branch = own});
	if (!run || (a->runs.count > known && take_lines(a, run)))
		return -1;
	*number = (uint32_t)(run - a->runs.items);
	return 0;
}

/* ---- arrivals ------------------------------------------------------------------------------ */

static int add_child(struct around *a, uint32_t *node, uint32_t run, uint64_t times)
{
	struct node child = {*node, run, a->nodes.items[*node].depth + 1, 0}, *known;

	if (a->nodes.count == NODES_MOST && !map_find(&a->node_numbers, *node, run)) {
		*node = NONE;
		return 0;
	}
	known = map_item(&a->node_numbers, *node, run, &a->nodes, child);
	if (!known)
		return -1;
	known->times += times;
	*node = (uint32_t)(known - a->nodes.items);
	return 0;
}

static void count_lines(struct around *a, uint32_t run, uint64_t times)
{
	const struct run *r = &a->runs.items[run];

	for (uint32_t i = 0; i < r->line_count; i++) {
		struct line_count *l = &a->lines.items[a->run_lines.items[r->first_line + i]];

		if (l->last == a->arrivals_seen)
			continue;
		l->last = a->arrivals_seen;
		l->times += times;
	}
}

/* The run at @at of the trace arrives: what lies behind it? */
static int add_arrival(struct around *a, size_t at, uint64_t times)
{
	uint32_t node = 0;
	bool between = true;

	a->arrivals += times;
	a->arrivals_seen++;
	for (size_t i = at + 1; i < a->trace.count && i <= at + DEPTH_MOST && node != NONE; i++) {
		uint32_t run = a->trace.items[i];

		if (run == NONE)
			break;
		if (add_child(a, &node, run, times))
			return -1;
		between &= !a->runs.items[run].arrives;
		if (between)
			count_lines(a, run, times);
	}
	return 0;
}

static int take_trace(void *context, const struct followed_traces *all,
		      const struct followed_trace *t)
{
	struct around *a = context;
	const size_t pairs = t->count - 1;

	(void)all;
	a->trace.count = 0;
	if (vector_reserve(&a->trace, pairs))
		return -1;
	for (size_t i = 0; i < pairs; i++) {
		size_t at = a->before ? pairs - 1 - i : i;

		if (number_run(a, t->branches[at], t->branches[at + 1], &a->trace.items[i]))
			return -1;
		a->trace.count++;
	}
	for (size_t i = 0; i < pairs; i++)
		if (a->trace.items[i] != NONE && a->runs.items[a->trace.items[i]].arrives &&
		    add_arrival(a, i, t->times))
			return -1;
	return 0;
}

/* ---- what is put --------------------------------------------------------------------------- */

static int by_times(const void *x, const void *y, void *context)
{
	const struct node *nodes = context;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return order_numbers(nodes[b].times, nodes[a].times) ?: order_numbers(a, b);
}

static int by_parent(const void *x, const void *y, void *context)
{
	const struct node *nodes = context;
	const struct node *a = &nodes[*(const uint32_t *)x], *b = &nodes[*(const uint32_t *)y];

	return a->parent != b->parent ? (a->parent > b->parent) - (a->parent < b->parent)
				      : by_times(x, y, context);
}

/* Nodes that are shown, children of one parent by falling times. */
struct shown_nodes {
	uint32_t *items;
	size_t count;
};

/* The most frequent ones but for the root: a parent is not less frequent than its children. */
static int choose_nodes(const struct around *a, struct shown_nodes *shown)
{
	shown->count = a->nodes.count - 1;
	shown->items = memory_alloc_array(a->nodes.count, sizeof(*shown->items));
	if (!shown->items)
		return -1;
	for (uint32_t i = 0; i < shown->count; i++)
		shown->items[i] = i + 1;
	qsort_r(shown->items, shown->count, sizeof(*shown->items), by_times, a->nodes.items);
	shown->count = view_shown(a->view, shown->count);
	qsort_r(shown->items, shown->count, sizeof(*shown->items), by_parent, a->nodes.items);
	return 0;
}

static void put_node(struct around *a, const struct node *n)
{
	const struct run *r = &a->runs.items[n->run];
	const struct followed_branch *b = &a->all.branches.items[r->branch];
	const struct followed_place *from = followed_traces_from(&a->all, r->branch),
				    *to = followed_traces_to(&a->all, r->branch);
	struct place_lines lines = {0};
	struct document *s = a->view->out;

	document_put_number(s, n->depth);
	document_put_number(s, n->times);
	document_put_share(s, n->times, a->arrivals);
	view_put_place(a->view, r->range.part, r->range.begin);
	view_put_place(a->view, r->range.part, r->range.end);
	document_put_text(s, view_branch_kind(b->kind));
	view_put_place(a->view, from->part, from->va);
	view_put_place(a->view, to->part, to->va);
	/* without memory the line is not known */
	source_places_lines(&a->view->parts.items[r->range.part].places, r->range.begin,
			    r->range.end, &lines);
	view_put_lines(a->view, &lines, VIEW_LINES_MOST);
}

/* Each node is followed by what is below it. */
static void put_below(struct around *a, const struct shown_nodes *shown, uint32_t node)
{
	const struct node *nodes = a->nodes.items;
	const uint32_t *i;
	size_t at = vector_count_while(shown, i, nodes[*i].parent < node);

	for (; at < shown->count && nodes[shown->items[at]].parent == node; at++) {
		put_node(a, &nodes[shown->items[at]]);
		put_below(a, shown, shown->items[at]);
	}
}

static int put_tree(struct around *a)
{
	struct shown_nodes shown;

	if (choose_nodes(a, &shown))
		return -1;
	document_table(a->view->out, a->before ? "before" : "after",
		       a->before ? "Blocks that led to the line, the last one first"
				 : "Blocks that followed the line",
		       "depth, count, share, begin, end, kind, from, to, source");
	put_below(a, &shown, 0);
	document_end(a->view->out, a->nodes.count - 1);
	memory_free(shown.items);
	return 0;
}

static void put_lines(struct around *a)
{
	const struct line_count *l;
	char text[4096];

	document_table(a->view->out, a->before ? "before_lines" : "after_lines",
		       a->before ? "Lines that ran before it, since it ran last"
				 : "Lines that ran after it, before it ran again",
		       "count, share, line");
	vector_each (&a->lines, l) {
		if (!l->times)
			continue;
		snprintf(text, sizeof(text), "%s:%" PRId32, l->line.file, l->line.line);
		document_put_number(a->view->out, l->times);
		document_put_share(a->view->out, l->times, a->arrivals);
		document_put_text(a->view->out, text);
	}
	document_rank(a->view->out, 0, a->view->options->top);
}

static void put_arrivals(struct around *a)
{
	struct document *s = a->view->out;
	char text[4096];

	snprintf(text, sizeof(text), "%s:%" PRId32, a->line->file, a->line->line);
	document_fact_text(s, a->before ? "before_line" : "after_line",
			   a->before ? "before" : "after", text);
	if (a->arrivals)
		document_fact_number(s, a->before ? "before_arrivals" : "after_arrivals",
				     "arrivals", a->arrivals);
	else
		document_fact_text(
			s, a->before ? "before_note" : "after_note", "",
			"(no trace has that line; is it of code that ran, and has the binary "
			"debug information?)");
}

static int put_around(struct view *v, const struct report_line *line, bool before)
{
	struct around a = {.view = v, .before = before, .line = line};
	int rc = vector_push(&a.nodes) ? 0 : -1;

	if (!rc)
		rc = followed_traces_each(&a.all, v, take_trace, &a);
	if (!rc) {
		put_arrivals(&a);
		rc = put_tree(&a);
	}
	if (!rc)
		put_lines(&a);
	vector_deinit(&a.runs);
	vector_deinit(&a.run_lines);
	vector_deinit(&a.lines);
	vector_deinit(&a.nodes);
	vector_deinit(&a.trace);
	map_deinit(&a.run_numbers);
	map_deinit(&a.node_numbers);
	map_deinit(&a.line_numbers);
	followed_traces_deinit(&a.all);
	return rc;
}

int view_around(struct view *v)
{
	const struct report_options *o = v->options;
	int rc = o->before.file ? put_around(v, &o->before, true) : 0;

	return !rc && o->after.file ? put_around(v, &o->after, false) : rc;
}

/* One trace of the recording, branch after branch, as lines of source. */

struct one_trace {
	struct view *view;
	struct followed_traces all;
	uint64_t number; /* of traces so far */
	VECTOR(uint32_t) branches;
};

static int keep_trace(void *context, const struct followed_traces *all,
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
	int rc = 0;

	if (step + 1 < o->branches.count && followed_traces_range(&o->all, b[0], b[1], &range)) {
		instructions = view_instructions(o->view, range.part, range.begin, range.end);
		rc = source_places_lines(&o->view->parts.items[range.part].places, range.begin,
					 range.end, &lines);
	}
	document_put_number_if(o->view->out, instructions, instructions);
	view_put_lines(o->view, &lines, VIEW_LINES_MOST);
	return rc;
}

static int put_step(struct one_trace *o, size_t step)
{
	const uint32_t branch = o->branches.items[step];
	const struct followed_place *from = followed_traces_from(&o->all, branch),
				    *to = followed_traces_to(&o->all, branch);
	struct document *s = o->view->out;

	document_put_number(s, step + 1);
	document_put_text(s, view_branch_kind(o->all.branches.items[branch].kind));
	view_put_place(o->view, from->part, from->va);
	view_put_place(o->view, to->part, to->va);
	return put_code(o, step);
}

static int put_trace(struct one_trace *o)
{
	int rc = 0;

	document_fact_number(o->view->out, "traces", "traces", o->number);
	if (o->number < o->view->options->trace)
		document_fact_text(o->view->out, "trace_note", "trace",
				   "- (there are not so many whole traces)");
	document_table(o->view->out, "trace", "The trace, and what ran behind each branch",
		       "step, kind, from, to, instructions, source");
	for (size_t i = 0; !rc && i < o->branches.count; i++)
		rc = put_step(o, i);
	return rc;
}

int view_trace(struct view *v)
{
	struct one_trace o = {.view = v};
	int rc = followed_traces_each(&o.all, v, keep_trace, &o) ?: put_trace(&o);

	vector_deinit(&o.branches);
	followed_traces_deinit(&o.all);
	return rc;
}
