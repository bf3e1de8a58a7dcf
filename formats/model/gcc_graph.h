/* SPDX-License-Identifier: MIT */
/*
 * gcc's own control-flow graphs of an object file's functions, as they are when gcc instruments
 * them: what the counters of a counter profile are of. Block 0 is the entry, block 1 the exit.
 */
#ifndef FORMATS_MODEL_GCC_GRAPH_H
#define FORMATS_MODEL_GCC_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strings.h"
#include "base/vector.h"

/* Flags of an arc, as in the file (gcc/gcov-io.h). */
#define GCC_ARC_TREE	    1u /* on the spanning tree: it has no counter */
#define GCC_ARC_FAKE	    2u /* a call that does not return, or leaves by longjmp */
#define GCC_ARC_FALLTHROUGH 4u
#define GCC_ARC_TRUE	    8u

struct gcc_arc {
	uint32_t from, to; /* blocks */
	uint32_t flags;
};

struct gcc_line {
	uint32_t block;
	uint32_t file; /* in the graph's strings */
	uint32_t line;
};

struct gcc_function {
	uint32_t ident, lineno_checksum, cfg_checksum;
	uint32_t name, file; /* in the graph's strings; the name is the linkage name */
	uint32_t line;	     /* of its declaration */
	uint32_t block_count;
	VECTOR(struct gcc_arc) arcs;   /* in the order of the counters */
	VECTOR(struct gcc_line) lines; /* in the file's order */
};

struct gcc_graph {
	struct strings *strings;
	uint32_t version, stamp;
	VECTOR(struct gcc_function) functions;
};

int gcc_graph_init(struct gcc_graph *g); /* 0, or -1 without memory */
void gcc_graph_deinit(struct gcc_graph *g);
const struct gcc_function *gcc_graph_function(const struct gcc_graph *g, uint32_t ident);

#endif
