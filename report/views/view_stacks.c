/* SPDX-License-Identifier: MIT */
/*
 * Call stacks: how much each function runs itself and with all that it calls, and the paths of
 * calls that most is below.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "report/views/call_paths.h"
#include "report/views/path_frames.h"
#include "report/views/view_stacks.h"

/* Nodes of the tree that are not shown hold less than this share. */
#define TREE_SHARE_LEAST 0.005

struct function_row {
	uint32_t frame; /* of the tree; one of those of this name */
	uint64_t self, total;
};

/* ---- functions ----------------------------------------------------------------------------- */

/* Does a function of the same name call this node, at whatever distance? Its total is in that. */
static bool is_recursive(const struct call_tree *t, size_t node)
{
	uint32_t name = t->frames.items[t->nodes.items[node].frame].name;

	for (size_t i = t->nodes.items[node].parent; i != CALL_TREE_TOP;
	     i = t->nodes.items[i].parent)
		if (t->frames.items[t->nodes.items[i].frame].name == name)
			return true;
	return false;
}

static void put_function(struct document *s, const struct call_tree *t,
			 const struct function_row *row)
{
	const uint64_t all = t->nodes.items[CALL_TREE_TOP].total;
	const struct call_frame *frame = &t->frames.items[row->frame];

	document_put_number(s, row->total);
	document_put_share(s, row->total, all);
	document_put_number(s, row->self);
	document_put_share(s, row->self, all);
	document_put_symbol(s, strings_text(t->strings, frame->name));
	document_put_text(s, strings_text(t->strings, frame->module));
}

/* Inlined or not, functions of one name are one row. */
static int put_functions(struct view *v, const struct call_tree *t)
{
	static const struct document_column columns[] = {
		{"total", "total"},	      {"total_share", "share"}, {"self", "self"},
		{"self_share", "self share"}, {"function", "function"}, {"module", "module"},
	};
	struct function_row *rows = memory_alloc_array(strings_count(t->strings), sizeof(*rows));

	if (!rows)
		return -1;
	for (size_t i = 1; i < t->nodes.count; i++) {
		const struct call_node *node = &t->nodes.items[i];
		struct function_row *row = &rows[t->frames.items[node->frame].name];

		row->frame = node->frame;
		row->self += node->self;
		row->total += is_recursive(t, i) ? 0 : node->total;
	}
	document_table(v->out, "stack_functions",
		       strcmp(t->unit, "samples") ? "Functions with what they call (instructions)"
						  : "Functions with what they call (samples)",
		       COLUMNS(columns));
	for (uint32_t i = 0; i < strings_count(t->strings); i++)
		if (rows[i].total)
			put_function(v->out, t, &rows[i]);
	document_rank(v->out, 0, v->options->top);
	memory_free(rows);
	return 0;
}

/* ---- the tree ------------------------------------------------------------------------------ */

static void put_node(struct document *s, const struct call_tree *t, size_t node)
{
	const uint64_t all = t->nodes.items[CALL_TREE_TOP].total;
	const size_t depth = call_tree_depth(t, node);
	const struct call_node *n = &t->nodes.items[node];
	const struct call_frame *frame = &t->frames.items[n->frame];
	char text[4096];

	snprintf(text, sizeof(text), "%*s%s%s", (int)(depth < 64 ? 2 * depth : 128), "",
		 strings_text(t->strings, frame->name), frame->inlined ? " (inlined)" : "");
	document_put_share(s, n->total, all);
	document_put_share(s, n->self, all);
	document_put_number(s, depth);
	document_put_symbol(s, text);
}

/* The next node in the order of a drawing from the top, of children first the hottest. */
static size_t node_behind(const struct call_tree *t, size_t node, bool below)
{
	const struct call_node *nodes = t->nodes.items;

	if (below && nodes[node].first_child != CALL_TREE_NONE)
		return nodes[node].first_child;
	while (node != CALL_TREE_TOP && nodes[node].next_sibling == CALL_TREE_NONE)
		node = nodes[node].parent;
	return node == CALL_TREE_TOP ? CALL_TREE_NONE : nodes[node].next_sibling;
}

static void put_tree(struct view *v, const struct call_tree *t)
{
	static const struct document_column columns[] = {
		{"total_share", "share"},
		{"self_share", "self"},
		{"depth", "depth"},
		{"function", "function"},
	};
	const double least = TREE_SHARE_LEAST * (double)t->nodes.items[CALL_TREE_TOP].total;
	size_t rows = 0, top = 4 * v->options->top;

	document_table(v->out, "stack_tree", "Call tree (what holds 0.5 % and more)",
		       COLUMNS(columns));
	for (size_t i = node_behind(t, CALL_TREE_TOP, true); i != CALL_TREE_NONE;) {
		bool shown = (double)t->nodes.items[i].total >= least;

		if (shown && (!top || rows < top))
			put_node(v->out, t, i);
		rows += shown;
		i = node_behind(t, i, shown);
	}
	document_end(v->out, rows);
}

/* ---- the view ------------------------------------------------------------------------------ */

/* How much the copied stacks say; nothing where there are none. */
static void state_copies(struct document *s, const struct call_paths *p)
{
	if (!p->copies)
		return;
	document_fact_number(s, "stacks_copied", "with a copied stack", p->copies);
	document_fact_share(s, "copies_whole", "of these, unwound to its end",
			    (double)p->copies_whole / (double)p->copies);
	if (p->copies_wrong)
		document_fact_number(s, "copies_wrong", "of these, not what the trace returned to",
				     p->copies_wrong);
}

int view_stacks_tree(struct view *v, struct call_tree *t)
{
	struct call_paths paths = {0};
	struct path_frames_stats stats;
	int rc = call_paths_make(&paths, v);

	if (!rc)
		rc = path_frames_tree(&paths, v, t, &stats);
	if (!rc && stats.all > 0) {
		document_fact_number(v->out, "stack_samples",
				     paths.call_stacks ? "call stacks" : "stacks of traces",
				     paths.samples);
		document_fact_share(v->out, "stacks_rooted",
				    "known up to main or their thread's start",
				    stats.rooted / stats.all);
		state_copies(v->out, &paths);
		if (paths.switches)
			document_fact_number(v->out, "stack_switches", "switches of stacks",
					     paths.switches);
	}
	call_paths_deinit(&paths);
	return rc;
}

int view_stacks(struct view *v)
{
	struct call_tree own = {0}, *t = v->options->tree ? v->options->tree : &own;
	int rc = view_stacks_tree(v, t);

	if (!rc)
		rc = put_functions(v, t);
	if (!rc)
		put_tree(v, t);
	call_tree_deinit(&own);
	return rc;
}
