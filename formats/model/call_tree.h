/* SPDX-License-Identifier: MIT */
/*
 * Call tree: functions by the path of calls that led to them, each with how much of the work was
 * done in it. What a flame graph draws.
 */
#pragma once

#include "base/map.h"
#include "base/strings.h"
#include "base/vector.h"

/* Node 0 is above all roots, and of no function. */
#define CALL_TREE_TOP  0u
#define CALL_TREE_NONE SIZE_MAX

/* A function as a frame; texts are numbers of call_tree.strings. */
struct call_frame {
	uint32_t name;	 /* linkage name */
	uint32_t shown;	 /* to people: demangled */
	uint32_t module; /* base name of the file that holds it; 0 = none */
	bool inlined;	 /* into the frame before */
};

struct call_node {
	size_t parent;	/* smaller than its own number */
	uint32_t frame; /* of frames; of node 0 of no meaning */
	uint64_t self;	/* in this function itself */
	uint64_t total; /* and in what it calls; by call_tree_sum */
	/* Nodes, or CALL_TREE_NONE; after call_tree_sum by falling total, then by name */
	size_t first_child, next_sibling;
};

struct call_tree {
	const char *unit; /* of self and total: "instructions", "samples"; borrowed */
	struct strings *strings;
	VECTOR(struct call_frame) frames;
	VECTOR(struct call_node) nodes;
	struct map frame_numbers; /* (name, module and inlined) -> n = number + 1 */
	struct map node_numbers;  /* (parent, frame) -> n = number */
};

/* 0, or -1 without memory; ended by call_tree_deinit, also after that. */
int call_tree_init(struct call_tree *t, const char *unit);
void call_tree_deinit(struct call_tree *t);
/* The number of a frame, made if new; UINT32_MAX without memory. @shown may be NULL: the name. */
uint32_t call_tree_frame(struct call_tree *t, const char *name, const char *shown,
			 const char *module, bool inlined);
/* The child of a node, made if new; CALL_TREE_NONE without memory. */
size_t call_tree_child(struct call_tree *t, size_t parent, uint32_t frame);
/* When all is added: totals, and the order of children. 0, or -1 without memory. */
int call_tree_sum(struct call_tree *t);
/* As it is shown. */
const char *call_tree_name(const struct call_tree *t, size_t node);
/* The nodes from the root to @node, outermost first, at most @max of them; returns how many. */
size_t call_tree_path(const struct call_tree *t, size_t node, size_t *path, size_t max);
/* How many nodes are above @node, node 0 not counted. */
size_t call_tree_depth(const struct call_tree *t, size_t node);
