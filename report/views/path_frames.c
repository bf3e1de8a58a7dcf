/* SPDX-License-Identifier: MIT */
#include "report/views/path_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "converter/binary/code.h"
#include "report/demangle.h"

/* Functions inlined into each other in one place; deeper ones count for the last. */
#define INLINED_MOST 64u
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

static const char *module_name(const struct view_part *p)
{
	if (!p)
		return "";
	return file_base_name(p->module ? p->module : binary_path(p->binary));
}

/* The function at @at as a linkage name, parts that the compiler moved away without their suffix;
 * where none is known, the module. */
static void function_name(struct framer *f, struct followed_place at, char *room, size_t size)
{
	const struct view_part *p = part_of(f, at);
	struct binary *b = p ? p->binary : NULL;
	const struct binary_function *function = b ? binary_function_at(b, at.va) : NULL;
	uint64_t begin;
	const char *plt = b && !function ? binary_plt_at(b, at.va, &begin) : NULL;
	const char *cold = function ? strstr(function->name, ".cold") : NULL;

	if (function)
		snprintf(room, size, "%.*s",
			 cold ? (int)(cold - function->name) : (int)strlen(function->name),
			 function->name);
	else
		snprintf(room, size, plt ? "%s" : "[%s]",
			 plt ? plt
			 : p ? module_name(p)
			     : "elsewhere");
}

static size_t child_named(struct framer *f, size_t node, const char *name, const char *module,
			  bool inlined)
{
	uint32_t frame = frame_named(f, name, module, inlined);

	return frame == UINT32_MAX ? CALL_TREE_NONE : call_tree_child(f->tree, node, frame);
}

/* The node of the code at @at, called from @node. CALL_TREE_NONE without memory. */
static size_t node_below(struct framer *f, size_t node, struct followed_place at)
{
	struct view_part *p = part_of(f, at);
	const char *names[INLINED_MOST];
	size_t inlined = p ? source_places_inlined(&p->places, at.va, names, INLINED_MOST) : 0;
	char name[4096];

	function_name(f, at, name, sizeof(name));
	node = child_named(f, node, name, module_name(p), false);
	for (size_t i = 0; i < inlined && node != CALL_TREE_NONE; i++)
		node = child_named(f, node, names[i], module_name(p), true);
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

static void close_framer(struct framer *f)
{
	for (size_t i = 0; f->code && i < f->view->parts.count; i++)
		code_cache_free(f->code[i]);
	memory_free(f->code);
	memory_free(f->places);
	memory_free(f->selves);
}

int path_frames_tree(const struct call_paths *paths, struct view *v, struct call_tree *t,
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
	close_framer(&f);
	return rc;
}
