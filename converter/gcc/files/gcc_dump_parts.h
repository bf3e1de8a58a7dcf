/* SPDX-License-Identifier: MIT */
/* The parts of gcc_dump.c's reader: what a dump says of counted values, and of loops. */
#pragma once

#include "base/map.h"
#include "converter/gcc/files/gcc_graph.h"
#include "converter/gcc/files/gimple_line.h"

/* ---- counted values (gcc_dump_values.c) ----------------------------------------------------- */

/* A statement that may have counters, as it was before. */
struct gcc_dump_candidate {
	uint64_t text, shape; /* digests */
	uint32_t function, block;
	struct gcc_place at;
	bool found;
};

/* Start zeroed. */
struct gcc_dump_values {
	VECTOR(struct gcc_dump_candidate) candidates; /* those of a function together */
	struct map begins;			      /* function -> n = its first candidate */
	VECTOR(struct gcc_value_site) waiting;	      /* for their statement */
	uint32_t function;			      /* whose these are */
};

void gcc_dump_values_deinit(struct gcc_dump_values *v);
/* Is it a call, a division or a remainder? */
bool gcc_dump_values_may_count(const struct gimple_line *l);
/* Such a statement of function number @function. 0, or -1 without memory. */
int gcc_dump_values_note(struct gcc_dump_values *v, size_t function, uint32_t block,
			 const struct gimple_line *l, struct gcc_place at);
/* A line of an instrumented function. @functions has the number of the function of each name. 0, or
 * -1 without memory. */
int gcc_dump_values_read(struct gcc_dump_values *v, struct gcc_graph *g,
			 const struct map *functions, const char *at, const char *end);
/* After the last line. */
void gcc_dump_values_end(struct gcc_dump_values *v, struct gcc_graph *g);

/* ---- loops (gcc_dump_loops.c) --------------------------------------------------------------- */

struct gcc_dump_phi {
	struct gimple_phi phi;
	uint32_t block;
};

struct gcc_dump_test {
	struct gimple_operation test;
	uint32_t block, holds; /* where it goes if the condition holds; 0 = not seen */
};

/* The loops of one function. Start zeroed; texts are borrowed from the dump. */
struct gcc_dump_loops {
	VECTOR(struct gcc_dump_phi) phis;      /* one of the two values is a number */
	VECTOR(struct gimple_operation) steps; /* a number is added */
	VECTOR(struct gcc_dump_test) tests;    /* with a number */
};

void gcc_dump_loops_deinit(struct gcc_dump_loops *l);
/* Another function begins. */
void gcc_dump_loops_begin(struct gcc_dump_loops *l);
/* A line of @block that gimple_line_parse has read, or refused. 0, or -1 without memory. */
int gcc_dump_loops_note_phi(struct gcc_dump_loops *l, uint32_t block, const char *at,
			    const char *end);
int gcc_dump_loops_note(struct gcc_dump_loops *l, uint32_t block, const struct gimple_line *line);
/* The condition of @block leads there if it holds. */
void gcc_dump_loops_note_edge(struct gcc_dump_loops *l, uint32_t block, uint32_t to);
/* Add to @f its loops. 0, or -1 without memory. */
int gcc_dump_loops_end(struct gcc_dump_loops *l, struct gcc_function *f);
