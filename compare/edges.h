/* SPDX-License-Identifier: MIT */
/*
 * Two branch profiles of one binary, laid on the edges that both could have, and how much alike
 * they are by these (docs/scores.md).
 *
 * Edges are taken branches with both ends in the binary, and for each conditional jump of a
 * function the way on to the next instruction. Runs from one block into the next without a jump are
 * no edges: their counts are those of their neighbours.
 */
#pragma once

#include "base/vector.h"
#include "converter/binary/binary.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

enum edge_kind {
	EDGE_TAKEN,	/* conditional jump, taken */
	EDGE_NOT_TAKEN, /* and not taken: the only kind that is no taken branch */
	EDGE_JUMP,
	EDGE_INDIRECT,
	EDGE_CALL, /* direct or indirect */
	EDGE_RETURN,
};

#define EDGE_NO_FUNCTION SIZE_MAX

struct edge {
	uint64_t from, to; /* `from` is the jump, call or return */
	uint64_t counts[2];
	size_t function; /* that holds `from`: its number in binary_functions */
	uint8_t kind;
	bool to_next; /* a jump to the next instruction: taken or not, it is the same way */
};

struct edges {
	VECTOR(struct edge) items; /* ascending by (from, to) */
	/* Exact counts by callgrind have no returns: where a side has none, both sides' are left
	 * out. */
	bool without_returns;
	/* Nor has it jumps to the next instruction, which code without optimisation is full of. */
	bool without_jumps_to_next;
	uint64_t taken[2]; /* taken branches of each side, those left out included */
	/* The taken branches in code of no function, whose ways past conditional jumps nobody
	 * counts; and are all of both sides' there? */
	uint64_t homeless[2];
	bool without_functions;
};

/* Edges of both sides that are not compared, and why. */
enum edges_note {
	EDGES_WITHOUT_RETURNS,
	EDGES_WITHOUT_JUMPS_TO_NEXT,
	EDGES_WITHOUT_FUNCTIONS,
	EDGES_NOTES
};

bool edges_note_holds(const struct edges *edges, enum edges_note note);
/* A sentence without its full stop. */
const char *edges_note_text(enum edges_note note);

/* Make edges of two profiles, of what the code can have done (converter/samples/validate.h). @out
 * is zeroed, to be ended with edges_deinit also on failure. 0 or a negative code. */
int edges_make(struct edges *out, struct binary *b, const struct branch_profile *first,
	       const struct branch_profile *second, struct softlbr_error *e);
void edges_deinit(struct edges *edges);

/* How often each of @edges was gone in @p: counts[i] for edges->items.items[i]. */
int edges_count(const struct edges *edges, const struct branch_profile *p, uint64_t *counts,
		struct softlbr_error *e);

/* ---- scores -------------------------------------------------------------------------------- */

/*
 * How much alike two profiles of one binary are, by their edges. The formulas, with an example
 * worked by hand, are in docs/scores.md; the degree of overlap is that of Chen et al., "Taming
 * hardware event samples for FDO compilation", section 6.1. All are shares in [0,1]; 0 if a side
 * has nothing, NaN if neither has, and where functions are needed and there are none.
 */

/* With reference R and estimate E; only `within` and `taken_ratio` are not symmetric. */
struct edge_score {
	double branch;	 /* overlap of taken branches */
	double edge;	 /* of taken branches and not-taken ways */
	double within;	 /* of the edges of each function, weighted by the function's weight in R */
	double function; /* of the functions' weights */
	double call;	 /* of calls: where from, and where to */
	double jump;	 /* of conditional jumps, both ways: those that layout is decided by */
	/* mean |difference| of the share of times that a conditional jump was taken, weighted by
	 * times run in R, over those that E has seen too */
	double taken_ratio_error;   /* NaN if there is none that both have seen */
	double taken_ratio_covered; /* weight in R of the conditional jumps that E has seen too */
};

/* A function that ran in either: shares of all edges, how alike within, and its part of what misses
 * to an edge overlap of 1. */
struct edge_function {
	size_t function;
	double share[2];
	double within;
	double lost;
};

struct edge_functions {
	VECTOR(struct edge_function) items; /* by falling loss, then share, then by address */
};

/* @reference: 0 or 1, the side that counts as true. 0, or -1 without memory. */
int edge_score_compare(const struct edges *edges, unsigned reference, struct edge_score *out);
/* @out zeroed, freed with vector_deinit. 0, or -1 without memory. */
int edge_score_functions(const struct edges *edges, unsigned reference, struct edge_functions *out);

/* The levels that profiles are compared at. */
enum diff_level {
	DIFF_FUNCTION,
	DIFF_LINE,
	DIFF_EDGE,
	DIFF_BRANCH,
	DIFF_WITHIN,
	DIFF_JUMP,
	DIFF_CALL,
	DIFF_LEVELS
};
/* Set the scores of those levels that are of edges. */
void edge_score_levels(const struct edge_score *s, double scores[DIFF_LEVELS]);
