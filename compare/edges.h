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
	/* Of them in code of no function, whose ways past conditional jumps nobody counts; and are
	 * all of both sides' there? */
	uint64_t homeless[2];
	bool without_functions;
};

/* What of both sides is not compared, and why. */
enum edges_note {
	EDGES_WITHOUT_RETURNS,
	EDGES_WITHOUT_JUMPS_TO_NEXT,
	EDGES_WITHOUT_FUNCTIONS,
	EDGES_NOTES
};

bool edges_note_holds(const struct edges *edges, enum edges_note note);
/* A sentence without its full stop. */
const char *edges_note_text(enum edges_note note);

/* What the code can have done of two profiles (converter/samples/validate.h). @out is zeroed, to be
 * ended with edges_deinit also on failure. 0 or a negative code. */
int edges_make(struct edges *out, struct binary *b, const struct branch_profile *first,
	       const struct branch_profile *second, struct softlbr_error *e);
void edges_deinit(struct edges *edges);

/* How often each of @edges was gone in @p: counts[i] for edges->items.items[i]. */
int edges_count(const struct edges *edges, const struct branch_profile *p, uint64_t *counts,
		struct softlbr_error *e);

#endif
