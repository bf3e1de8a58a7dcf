/* SPDX-License-Identifier: MIT */
/*
 * Constraints on how often the blocks and arcs of one instance of a function ran, from the
 * instructions that are attributed to its statements. A statement became several instructions, in
 * several machine blocks: copies (of loops and tails) add up, hoisted and merged ones do not. So a
 * constraint is an interval, and its weight depends on the kind of instruction. docs/counters.md
 * has the rules.
 */
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "converter/gcc/counters/attributions.h"
#include "converter/gcc/counters/notes_index.h"
#include "mcf/flow.h"

/* A cost for a weight of 1. */
#define CONSTRAINT_ONE 10000u

/* These blocks together ran @least times or more. */
struct constraint_sum {
	uint32_t first, count; /* in constraints.blocks */
	uint64_t least;
	uint32_t below; /* cost of each one less */
	bool lacked;	/* by a solution: from then on each block's share is a demand */
};

/* Start zeroed. Demands are for the arcs of the function's graph, and of its blocks as nodes. */
struct constraints {
	VECTOR(struct circulation_demand) demands;
	VECTOR(struct constraint_sum) sums;
	VECTOR(uint32_t) blocks;
};

static inline void constraints_deinit(struct constraints *v)
{
	vector_deinit(&v->demands);
	vector_deinit(&v->sums);
	vector_deinit(&v->blocks);
}

/* Demand that the arc or node @of runs @at times: a run less costs @below, a run more @above. 0, or
 * -1 without memory. */
static inline int constraints_add(struct constraints *v, uint32_t of, uint64_t at, double below,
				  double above)
{
	return vector_add(&v->demands,
			  (struct circulation_demand){.of = of,
						      .at = at,
						      .below = (uint32_t)(below * CONSTRAINT_ONE),
						      .above = (uint32_t)(above * CONSTRAINT_ONE)});
}

/* The attributions [first,end) of one function and context. */
struct constraints_source {
	uint32_t context;
	size_t first, end;
};

/* Append the constraints that follow from the attributions of these contexts of function number
 * @function. 0, or -1 without memory. */
int constraints_collect(const struct notes_index *keys, const struct attributions *o,
			uint32_t function, const struct constraints_source *sources, size_t count,
			struct constraints *out);

/* ---- constraints by jumps (jump_constraints.c) ---------------------------------------------- */

struct jump_count {
	uint32_t arc, block; /* of the function's graph; the block is where the arc leaves */
	uint64_t count;
};

/* Start zeroed. */
struct jump_constraints {
	VECTOR(struct jump_count) items; /* each arc once */
	struct successors ways;
	VECTOR(uint32_t) of_arc; /* by arc: the item + 1 */
};

void jump_constraints_deinit(struct jump_constraints *v);
/* For the jumps of function @f, which must outlive @v. 0, or -1 without memory. */
int jump_constraints_init(struct jump_constraints *v, const struct notes_function *f);
/* Add the counts of one conditional jump of the function. 0, or -1 without memory. */
int jump_constraints_add(struct jump_constraints *v, const struct attributions *o,
			 const struct attributed_jump *j);
/* The counts of all jumps from @block. */
uint64_t jump_constraints_sum(const struct jump_constraints *v, uint32_t block);

/* Add the counts of the computed gotos of function number @function to the constraints @out of its
 * own code. 0, or -1 without memory. */
int jump_constraints_add_gotos(const struct notes_index *keys, const struct attributions *o,
			       uint32_t function, struct constraints *out);

/* ---- one statement (estimate.c) ------------------------------------------------------------- */

/* An attribution whose machine block holds the statement several times, unrolled, counts so often
 * more. */
struct estimate_item {
	const struct attribution *o;
	uint64_t count;
};

struct estimate_items {
	VECTOR(struct estimate_item) list;
};

struct estimate {
	uint64_t low, high;
	double weight; /* of running more often than `high` */
	double below;  /* of running less often than `low` */
	double pull;   /* of running less often than `high` */
	bool fixed;    /* calls and stores: they are not moved out of loops */
	/* Computed whether or not it would have run: `high` times, as the block before it ran. */
	bool selected;
};

/* The estimate for one statement, by its instructions, which the call sorts. */
struct estimate estimate_make(struct estimate_items *items);

/* Start zeroed. */
struct estimate_unrolled {
	struct map times; /* (gcc's block, machine block), context -> n */
};

void estimate_unrolled_deinit(struct estimate_unrolled *u);
/* Find which blocks of @f are unrolled in which machine blocks, by the attributions [first,end) of
 * one context. 0, or -1 without memory. */
int estimate_unrolled_find(struct estimate_unrolled *u, const struct notes_function *f,
			   const struct attribution *first, const struct attribution *end);
/* How often the code of an attribution stands in its machine block, for a statement of @block. */
uint64_t estimate_unrolled_times(const struct estimate_unrolled *u, uint32_t block,
				 const struct attribution *o);

/* ---- one instruction (reliability.c) -------------------------------------------------------- */

/* Start zeroed. */
struct reliability {
	const struct notes_function *f;
	struct successors graph; /* of its blocks */
	/* by context, machine block; of these the conditional jumps, by context, place */
	VECTOR(const struct attribution *) items, jumps;
};

void reliability_deinit(struct reliability *d);
/* 0, or -1 without memory. */
int reliability_init(struct reliability *d, const struct notes_function *f);
/* Add the attributions [first,end), which stay. 0, or -1. Then sort. */
int reliability_add(struct reliability *d, const struct attribution *first,
		    const struct attribution *end);
void reliability_sort(struct reliability *d);
/* The only block that leads to it, or NOTES_NONE. */
uint32_t reliability_before(const struct reliability *d, uint32_t block);
/* How reliably did @block run as often as @o? 1: nothing speaks against it; 0: not at all. */
double reliability_share(const struct reliability *d, const struct attribution *o, uint32_t block);
