/* SPDX-License-Identifier: MIT */
/* In which block of which function the places of traces are, and in which loops. */
#ifndef REPORT_VIEWS_TRACED_CODE_H
#define REPORT_VIEWS_TRACED_CODE_H

#include "base/map.h"
#include "base/vector.h"
#include "converter/cfg/blocks.h"
#include "converter/cfg/loops.h"
#include "report/views/followed_traces.h"

#define TRACED_NONE UINT32_MAX

struct traced_function {
	size_t part;
	const struct binary_function *function;
	const struct blocks *blocks;
	struct loops loops;
	uint32_t first_loop; /* numbers of loops go through all functions */
};

struct traced_block {
	uint32_t function, block; /* numbers; TRACED_NONE: in no code that is known */
	bool begins;		  /* the place is the block's first instruction */
};

/* A followed branch. */
struct traced_branch {
	struct traced_block from, to;
	uint8_t kind; /* enum isa_kind */
};

struct traced_code {
	struct view *view;
	VECTOR(struct block_finder *) finders; /* by part; NULL = not yet asked for */
	VECTOR(struct traced_function) functions;
	struct map numbers;		       /* (function's begin, part) -> n = number + 1 */
	VECTOR(struct traced_block) blocks;    /* by number of a followed place */
	VECTOR(struct traced_branch) branches; /* by number of a followed branch */
	uint32_t loop_count;
};

/* Start zeroed but for the view. */
void traced_code_deinit(struct traced_code *c);
/* Look up all places and branches that are new since. 0, or -1 without memory. */
int traced_code_extend(struct traced_code *c, const struct followed_traces *all);
/* The innermost loop of a block, as it is numbered in its function; LOOPS_NONE. */
uint32_t traced_code_loop(const struct traced_code *c, uint32_t function, uint32_t block);

#endif
