/* SPDX-License-Identifier: MIT */
/* Call paths as a tree of functions: addresses become functions, and those inlined into them. */
#ifndef REPORT_VIEWS_PATH_FRAMES_H
#define REPORT_VIEWS_PATH_FRAMES_H

#include "formats/model/call_tree.h"
#include "report/views/call_paths.h"

/* In the tree's unit. */
struct path_frames_stats {
	double all, rooted; /* the latter is known up to main, or to where its stack began */
};

/*
 * Fill @t, zeroed, with the paths' functions, in instructions. Those whose outermost caller is not
 * known are below a frame "[unknown]". Ended by call_tree_deinit, also on failure. 0, or -1 without
 * memory.
 */
int path_frames_tree(const struct call_paths *paths, struct view *v, struct call_tree *t,
		     struct path_frames_stats *stats);

#endif
