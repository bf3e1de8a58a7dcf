/* SPDX-License-Identifier: MIT */
/* The parts of gcc_dump.c's reader: lines, counted values, loops. */
#pragma once

#include "base/map.h"
#include "base/text.h"
#include "converter/gcc/files/gcc_graph.h"

/* ---- one line (gimple_line.c) --------------------------------------------------------------- */

struct gimple_place {
	struct text file;
	uint32_t line, column;
	uint32_t discriminator; /* gcc 13 on has it here, "[a.c:3:5 discrim 2]" */
};

struct gimple_line {
	bool has_place;
	struct gimple_place place; /* the statement's own, else the first operand's that has one */
	bool condition;		   /* an `if` or a `switch` */
	bool computed_goto;
	bool call;
	struct text callee; /* of a call; empty: by a pointer for certain */
	bool open;	    /* text of an `asm` goes on in the next line */
	struct text text;   /* the statement without its own place */
};

/* @line has no newline; texts are parts of it. False where it is no statement: a variable's new
 * value for the debugger, a PHI, a prediction. */
bool gimple_line_parse(struct gimple_line *l, struct text line);
/* "# i_1 = PHI <0(2), i_5(4)>": a value that comes from one of two blocks. */
struct gimple_phi {
	struct text name;
	struct text values[2];
	uint32_t blocks[2];
};

/* True if the line is a PHI of two values, each a name or a number. */
bool gimple_line_parse_phi(struct gimple_phi *p, struct text line);
/* The names and numbers around the operator of "x_1 = y_2 + 3;" and "if (x_1 != 4)": what is left
 * and right of @operation, which is " + " for the first. True if the text is of that form. */
struct gimple_operation {
	struct text result; /* empty for a condition */
	struct text left, operation, right;
};
bool gimple_line_parse_operation(struct gimple_operation *o, struct text statement);
/* An integer; false for all else. Unsigned -1 of 32 and 64 bits are -1. */
bool gimple_line_integer(struct text t, int64_t *out);

/* Is this how an SSA name is written, "name_3"? A function may have such a name, too. */
bool gimple_line_may_be_ssa(struct text name);
/* Take a number; false without one, or if it is too large. */
bool gimple_line_number(struct text *t, uint32_t *out);

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
			 const struct map *functions, struct text line);
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
int gcc_dump_loops_note_phi(struct gcc_dump_loops *l, uint32_t block, struct text line);
int gcc_dump_loops_note(struct gcc_dump_loops *l, uint32_t block, const struct gimple_line *line);
/* The condition of @block leads there if it holds. */
void gcc_dump_loops_note_edge(struct gcc_dump_loops *l, uint32_t block, uint32_t to);
/* Add to @f its loops. 0, or -1 without memory. */
int gcc_dump_loops_end(struct gcc_dump_loops *l, struct gcc_function *f);
