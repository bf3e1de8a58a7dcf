/* SPDX-License-Identifier: MIT */
/* The call tree of a recording. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "converter/binary/code.h"
#include "formats/model/call_tree.h"
#include "report/demangle.h"
#include "report/views/followed_traces.h"
#include "report/views/view.h"

/* Call paths as a tree of functions: addresses become functions, and those inlined into them. */

/* In the tree's unit. */
struct path_frames_stats {
	double all, rooted; /* the latter is known up to main, or to where its stack began */
};

/* Functions inlined into each other in one place; deeper ones count for the last. */
#define INLINED_MOST 64u
/* Where less is known up to main than this, it is said how to know more. */
#define ROOTED_LEAST 0.5
/* Where control begins: what libc runs before main is left out of the tree. */
static const char *const starts[] = {
	"main",
	"start_thread",
	"clone3",
	"__clone3",
	"clone",
	"__clone",
	"_start",
	"__libc_start_main",
	"__libc_start_call_main",
	"__libc_start_main_impl",
	"_dl_start_user",
};

/* What a path is in the tree. */
struct path_place {
	size_t node;
	bool rooted;
};

struct framer {
	const struct call_paths *paths;
	struct view *view;
	struct call_tree *tree;
	struct code_cache **code;  /* by part; NULL without a binary */
	struct path_place *places; /* by path */
	double *selves;		   /* by node, before rounding */
	size_t self_room;
};

/* ---- frames -------------------------------------------------------------------------------- */

static uint32_t frame_named(struct framer *f, const char *name, const char *module, bool inlined)
{
	char *shown = f->view->options->mangled ? NULL : demangle_name(name, true);
	uint32_t frame = call_tree_frame(f->tree, name, shown, module, inlined);

	memory_free(shown);
	return frame;
}

static struct view_part *part_of(struct framer *f, struct followed_place at)
{
	return at.part == VIEW_NO_PART ? NULL : &f->view->parts.items[at.part];
}

/* The function at @at; where none is known, the module. */
static void function_name(struct framer *f, struct followed_place at, char *room, size_t size)
{
	view_function_name(part_of(f, at), at.va, room, size);
}

static size_t child_named(struct framer *f, size_t node, const char *name, const char *module,
			  bool inlined)
{
	uint32_t frame = frame_named(f, name, module, inlined);

	return frame == UINT32_MAX ? CALL_TREE_NONE : call_tree_child(f->tree, node, frame);
}

/* Does @node stand for unknown code of this name? What it calls there is unknown, too. */
static bool is_unknown_code(const struct framer *f, size_t node, const struct view_part *p,
			    const char *name)
{
	const struct call_frame *frame;

	if ((p && p->binary) || node == CALL_TREE_TOP)
		return false;
	frame = &f->tree->frames.items[f->tree->nodes.items[node].frame];
	return !strcmp(strings_text(f->tree->strings, frame->name), name);
}

/* The node of the code at @at, called from @node. CALL_TREE_NONE without memory. */
static size_t node_below(struct framer *f, size_t node, struct followed_place at)
{
	struct view_part *p = part_of(f, at);
	const char *names[INLINED_MOST];
	size_t inlined = p ? source_places_inlined(&p->places, at.va, names, INLINED_MOST) : 0;
	char name[4096];

	function_name(f, at, name, sizeof(name));
	if (is_unknown_code(f, node, p, name))
		return node;
	node = child_named(f, node, name, view_module_name(p), false);
	for (size_t i = 0; i < inlined && node != CALL_TREE_NONE; i++)
		node = child_named(f, node, names[i], view_module_name(p), true);
	return node;
}

/* ---- paths --------------------------------------------------------------------------------- */

static bool is_start(struct framer *f, struct followed_place at, bool *is_main)
{
	char name[4096];

	function_name(f, at, name, sizeof(name));
	*is_main = !strcmp(name, "main");
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strcmp(name, starts[i]))
			return true;
	return false;
}

/* Where the code that a path's calls lead to hangs in the tree. */
static int place_path(struct framer *f, uint32_t number)
{
	const struct call_path *path = &f->paths->paths.items[number];
	const struct path_place *above = &f->places[path->parent];
	bool is_main, start = is_start(f, path->call, &is_main);
	size_t node = above->node;

	/* main is a root, whatever of libc's start is known above it */
	if (start && (is_main || !above->rooted))
		node = CALL_TREE_TOP;
	node = node_below(f, node, path->call);
	f->places[number] = (struct path_place){node, start || above->rooted};
	return node == CALL_TREE_NONE ? -1 : 0;
}

static int place_paths(struct framer *f)
{
	size_t unknown = child_named(f, CALL_TREE_TOP, "[unknown]", "", false);

	f->places[CALL_PATH_UNKNOWN] = (struct path_place){unknown, false};
	f->places[CALL_PATH_BOTTOM] = (struct path_place){CALL_TREE_TOP, true};
	if (unknown == CALL_TREE_NONE)
		return -1;
	for (uint32_t i = CALL_PATHS_FIRST; i < f->paths->paths.count; i++)
		if (place_path(f, i))
			return -1;
	return 0;
}

/* ---- code ---------------------------------------------------------------------------------- */

static int add_self(struct framer *f, size_t node, double count)
{
	size_t room = f->self_room;
	double *grown;

	if (node == CALL_TREE_NONE)
		return -1;
	if (node >= room) {
		while (node >= room)
			room = room ? 2 * room : 1024;
		grown = memory_resize_array(f->selves, room, sizeof(*grown));
		if (!grown)
			return -1;
		memset(grown + f->self_room, 0, (room - f->self_room) * sizeof(*grown));
		f->selves = grown;
		f->self_room = room;
	}
	f->selves[node] += count;
	return 0;
}

/* Code of a start function has no caller that would be of interest. */
static struct path_place place_of_run(struct framer *f, const struct call_run *run)
{
	struct path_place place = f->places[run->path];
	bool is_main;

	if (!place.rooted &&
	    is_start(f, (struct followed_place){run->code.part, run->code.begin}, &is_main))
		place = (struct path_place){CALL_TREE_TOP, true};
	return place;
}

/* Each instruction of @code counts for what is inlined there. Returns how many, or 0 without
 * memory. */
static size_t add_instructions(struct framer *f, size_t node, const struct followed_range *code,
			       const struct code *all, size_t i, double times)
{
	size_t first = i;

	for (; i < all->count && all->insns[i].address <= code->end; i++) {
		struct followed_place at = {code->part, all->insns[i].address};

		if (add_self(f, node_below(f, node, at), times))
			return 0;
	}
	return i - first;
}

static int add_run(struct framer *f, const struct call_run *run, struct path_frames_stats *stats)
{
	const struct followed_range *code = &run->code;
	const struct followed_place begin = {code->part, code->begin};
	struct binary *b = f->view->parts.items[code->part].binary;
	const struct binary_function *function = b ? binary_function_at(b, code->begin) : NULL;
	const struct code *all = function ? code_cache_get(f->code[code->part], function) : NULL;
	size_t i = all ? code_find(all, code->begin) : CODE_NONE, count = 1;
	const struct path_place place = place_of_run(f, run);
	const double times = call_paths_times(f->paths, run);

	if (function && !all)
		return -1;
	if (i != CODE_NONE)
		count = add_instructions(f, place.node, code, all, i, times);
	else if (add_self(f, node_below(f, place.node, begin), times)) /* how many is not known */
		return -1;
	stats->all += (double)count * times;
	stats->rooted += place.rooted ? (double)count * times : 0;
	return count ? 0 : -1;
}

static int add_runs(struct framer *f, struct path_frames_stats *stats)
{
	const struct call_run *run;

	*stats = (struct path_frames_stats){0};
	vector_each (&f->paths->runs, run)
		if (add_run(f, run, stats))
			return -1;
	for (size_t i = 0; i < f->tree->nodes.count && i < f->self_room; i++)
		f->tree->nodes.items[i].self = (uint64_t)(f->selves[i] + 0.5);
	return 0;
}

/* ---- the call ------------------------------------------------------------------------------ */

static int make_caches(struct framer *f)
{
	f->code = memory_alloc_array(f->view->parts.count + 1, sizeof(struct code_cache *));
	if (!f->code)
		return -1;
	for (size_t i = 0; i < f->view->parts.count; i++) {
		struct binary *b = f->view->parts.items[i].binary;

		f->code[i] = b ? code_cache_new(b) : NULL;
		if (b && !f->code[i])
			return -1;
	}
	return 0;
}

/*
 * Fill @t, zeroed, with the paths' functions, in instructions. Those whose outermost caller is not
 * known are below a frame "[unknown]". Ended by call_tree_deinit, also on failure. 0, or -1 without
 * memory.
 */
static int path_frames_tree(const struct call_paths *paths, struct view *v, struct call_tree *t,
			    struct path_frames_stats *stats)
{
	struct framer f = {.paths = paths, .view = v, .tree = t};
	int rc = call_tree_init(t, paths->call_stacks ? "samples" : "instructions");

	f.places = memory_alloc_array(paths->paths.count, sizeof(*f.places));
	if (!rc)
		rc = f.places ? make_caches(&f) : -1;
	if (!rc)
		rc = place_paths(&f);
	if (!rc)
		rc = add_runs(&f, stats);
	if (!rc)
		rc = call_tree_sum(t);
	for (size_t i = 0; f.code && i < f.view->parts.count; i++)
		code_cache_free(f.code[i]);
	memory_free(f.code);
	memory_free(f.places);
	memory_free(f.selves);
	return rc;
}

/*
 * Call stacks: how much each function runs itself and with all that it calls, and the paths of
 * calls that most is below.
 */

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
		       "total, total_share: share, self, self_share: self share, "
		       "function, module");
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
	const double least = TREE_SHARE_LEAST * (double)t->nodes.items[CALL_TREE_TOP].total;
	size_t rows = 0, top = 4 * v->options->top;

	document_table(v->out, "stack_tree", "Call tree (what holds 0.5 % and more)",
		       "total_share: share, self_share: self, depth, function");
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
	struct path_frames_stats stats = {0};
	int rc = call_paths_make(&paths, v) ?: path_frames_tree(&paths, v, t, &stats);

	if (!rc && stats.all > 0) {
		document_fact_number(v->out, "stack_samples",
				     paths.call_stacks ? "call stacks" : "stacks of traces",
				     paths.samples);
		document_fact_share(v->out, "stacks_rooted",
				    "known up to main or their thread's start",
				    stats.rooted / stats.all);
		state_copies(v->out, &paths);
		if (!paths.copies && stats.rooted < ROOTED_LEAST * stats.all)
			document_fact_text(v->out, "stacks_missing", "callers above the traces",
					   "not recorded: record with --stack-copy=8, or "
					   "--branches=stack for call stacks alone");
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
	int rc = view_stacks_tree(v, t) ?: put_functions(v, t);

	if (!rc)
		put_tree(v, t);
	call_tree_deinit(&own);
	return rc;
}
