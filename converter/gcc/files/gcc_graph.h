/* SPDX-License-Identifier: MIT */
/*
 * gcc's own control-flow graphs of an object file's functions, as they are when gcc instruments
 * them: what the counters of a counter profile are of. Block 0 is the entry, block 1 the exit.
 */
#pragma once

#include <stdio.h>

#include "base/strings.h"
#include "base/vector.h"
#include "converter/gcc/files/counter_profile.h"
#include "softlbr/error.h"

/* Flags of an arc, as in the file (gcc/gcov-io.h). */
#define GCC_ARC_TREE 1u /* on the spanning tree: it has no counter */
#define GCC_ARC_FAKE 2u /* a call that does not return, or leaves by longjmp */

struct gcc_arc {
	uint32_t from, to; /* blocks */
	uint32_t flags;
};

struct gcc_line {
	uint32_t block;
	uint32_t file; /* in the graph's strings */
	uint32_t line;
};

/*
 * What gcc's own dump of the pass that instruments says besides (gcc_dump.c).
 * Files are named as the dump names them, in the graph's strings; a line or column of 0 is not
 * known.
 */
struct gcc_place {
	uint32_t file, line, column;
};

struct gcc_block {
	uint32_t discriminator;
	struct gcc_place condition; /* of the `if` or `switch` that ends it; line 0 = none does */
	bool computed_goto;	    /* a `goto *` ends it */
};

struct gcc_statement {
	uint32_t block;
	struct gcc_place at;
};

struct gcc_call {
	uint32_t block;
	uint32_t callee; /* as the dump names it; 0 = by a pointer */
	struct gcc_place at;
};

/* Is an edge gone if the condition of its block holds, or if it does not? */
enum gcc_edge { GCC_EDGE_ALWAYS, GCC_EDGE_TRUE, GCC_EDGE_FALSE };

/* How often gcc believes that a block is left by an edge. */
struct gcc_guess {
	uint32_t from, to; /* blocks */
	uint32_t per_mille;
	enum gcc_edge edge;
	uint64_t count; /* on a scale of the function's own; 0 = no idea, or never */
};

/* A loop that goes on the same number of times whenever it is entered, and is left by the condition
 * of one block alone. */
struct gcc_loop {
	uint32_t from, to, exit; /* the block that ends it, and where that leads */
	uint32_t times; /* the arc to `to` is gone so often for each time that to `exit` is */
};

/* A statement whose values an instrumented program counts, and one of its counters there. */
struct gcc_value_site {
	uint32_t block;
	struct gcc_place at;
	enum counter_kind kind;
	uint32_t first, count; /* words, in the function's set of that kind */
};

struct gcc_function {
	uint32_t ident, lineno_checksum, cfg_checksum;
	uint32_t name, file; /* in the graph's strings; the name is the linkage name */
	uint32_t line;	     /* of its declaration */
	uint32_t block_count;
	VECTOR(struct gcc_arc) arcs;   /* in the order of the counters */
	VECTOR(struct gcc_line) lines; /* in the file's order */

	/* What the dump adds, in its order; all are empty without a dump. */
	VECTOR(struct gcc_block) blocks; /* block_count */
	VECTOR(struct gcc_statement) statements;
	VECTOR(struct gcc_call) calls; /* they are statements, too */
	VECTOR(struct gcc_guess) guesses;
	VECTOR(struct gcc_loop) loops;
	VECTOR(struct gcc_value_site) values;
	bool values_lost; /* there are more, whose statements were not found */
};

struct gcc_graph {
	struct strings *strings;
	uint32_t version, stamp;
	VECTOR(struct gcc_function) functions;
};

int gcc_graph_init(struct gcc_graph *g); /* 0, or -1 without memory */
void gcc_graph_deinit(struct gcc_graph *g);
/* Give back what says where in the source blocks are: lines, blocks, statements, calls, all names.
 * What the counters are of stays. */
void gcc_graph_reduce(struct gcc_graph *g);
const struct gcc_function *gcc_graph_function(const struct gcc_graph *g, uint32_t ident);

/* ---- .gcno files (gcno.c) ------------------------------------------------------------------- */

/* @g is initialised by the call, also when it fails. */
int gcno_read_bytes(const uint8_t *data, size_t size, const char *name, struct gcc_graph *g,
		    struct softlbr_error *e);
/* Read the .gcno that stands beside the .gcda file @path ("x.gcda", "x.gcno"). Without one @g is
 * empty. 0, or -1 without memory. */
int gcno_read_beside(const char *path, struct gcc_graph *g);

/* ---- gcc's dumps (gcc_dump.c, gcc_dump_short.c) --------------------------------------------- */

/*
 * Add to the functions of @g, which are those of the .gcno file, what the dump says of them. One
 * that the dump lacks, or whose blocks or edges are others than the .gcno file's, is left without;
 * where that is every function, the dump is of another build, or of a form that is not known: an
 * error. What was added stays on any error, and is of whole functions.
 */
int gcc_dump_read_bytes(const uint8_t *data, size_t size, const char *name, struct gcc_graph *g,
			struct softlbr_error *e);

/* Errors of the stream are the caller's to look for. */
void gcc_dump_short_write(const uint8_t *data, size_t size, FILE *out);
