/* SPDX-License-Identifier: MIT */
/*
 * Two branch profiles of one binary, laid on the edges that both could have: what the scores of
 * compare/edge_score.h are computed from (docs/scores.md).
 *
 * Edges are taken branches with both ends in the binary, and for each conditional jump of a
 * function the way on to the next instruction. Runs from one block into the next without a jump are
 * no edges: their counts are those of their neighbours.
 */
#ifndef COMPARE_EDGES_H
#define COMPARE_EDGES_H

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
};

struct edges {
	VECTOR(struct edge) items; /* ascending by (from, to) */
	/* Exact counts by callgrind have no returns: where a side has none, both sides' are left
	 * out. */
	bool without_returns;
	uint64_t taken[2]; /* taken branches of each side, those left out included */
};

/* What the code can have done of two profiles (converter/samples/validate.h). @out is zeroed, to be
 * ended with edges_deinit also on failure. 0 or a negative code. */
int edges_make(struct edges *out, struct binary *b, const struct branch_profile *first,
	       const struct branch_profile *second, struct softlbr_error *e);
void edges_deinit(struct edges *edges);

/* How often each of @edges was gone in @p: counts[i] for edges->items.items[i]. */
int edges_count(const struct edges *edges, const struct branch_profile *p, uint64_t *counts,
		struct softlbr_error *e);

#endif
