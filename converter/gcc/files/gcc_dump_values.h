/* SPDX-License-Identifier: MIT */
/*
 * Which statements gcc counts the values of, by what it prints of the instrumented functions:
 *
 *	  __gcov_topn_values_profiler (&__gcov3.f[0], _26);
 *	  __gcov_interval_profiler (&__gcov1.f[0], _32, 0, 2);
 *	  __gcov_indirect_call.D.2045 = &__gcov4.f[0];
 *	  [a.c:8:3] the statement
 *
 * __gcovN is the N-th kind of gcc/gcov-counter.def, f the function, the index that of a word.
 *Blocks have other numbers there: the statement is looked up among those of the state before.
 */
#pragma once

#include "base/map.h"
#include "converter/gcc/files/gcc_graph.h"
#include "converter/gcc/files/gimple_line.h"

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
