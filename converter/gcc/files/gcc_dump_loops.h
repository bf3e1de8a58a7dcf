/* SPDX-License-Identifier: MIT */
/*
 * Loops that run the same number of times whenever they are entered, in gcc's dumps
 * (converter/gcc/files/gcc_dump.h): a variable that begins with a constant, has a constant added
 * and is compared with one, which alone ends the loop. In code they may be unrolled or be one
 *vector instruction, and how often that runs does not say how often gcc's loop would.
 *
 *	  # i_1 = PHI <0(2), i_5(3)>
 *	  [a.c:3:5] if (i_1 != 4)
 *	...
 *	  [a.c:3:9] i_5 = i_1 + 1;
 */
#pragma once

#include "converter/gcc/files/gcc_graph.h"
#include "converter/gcc/files/gimple_line.h"

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
