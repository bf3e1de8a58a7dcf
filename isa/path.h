/* SPDX-License-Identifier: MIT */
/*
 * Following a path: block after block of code that was decoded once. As long as it goes where it
 * went before and comes to nothing new, evaluation stays in isa_evaluate_path.
 */
#pragma once

#include "isa/evaluate.h"

/* Instructions and bytes of one block; longer straight lines go on in the next. */
#define ISA_BLOCK_RECORDS 32u
#define ISA_BLOCK_BYTES	  255u

struct isa_block {
	uint64_t address;
	uint16_t bytes;	  /* of code */
	uint16_t wait;	  /* of its records, in cycles */
	uint8_t count;	  /* of records; only the last may be a branch or unmodelled */
	bool ends_static; /* with a direct jump or call */
	bool ends_branch;
	/* atomic, the decode cache's: what came last behind it, by a taken branch [1] or none */
	const struct isa_block *next[2];
	/* `count` of them, as isa_evaluate_line wants them */
	struct isa_record records[ISA_BLOCK_RECORDS + 1];
};

/* How many records are there, with the one that ends the line. */
static inline unsigned isa_block_records(const struct isa_block *b)
{
	return b->count + (b->records[b->count - 1].kind == ISA_OTHER);
}

#define ISA_PATH_ENTERED 1024u /* a power of two */

struct isa_path {
	const struct isa_block *block;	 /* to be evaluated, or was so last */
	const struct isa_record *record; /* of it: where evaluation stopped */
	struct isa_taken *taken;	 /* the branches, with their kinds; borrowed */
	uint8_t *kinds;
	unsigned count; /* of them */
	unsigned pause; /* with so many of them isa_evaluate_path returns */
	/* isa_evaluate_path returns behind a block that made *fresh more than 0, or what is written
	 * (isa_shadow's `changes`) another than it was... */
	const uint64_t *fresh;
	uint32_t changes;
	bool quiet; /* ...unless it is told not to */
	/* of the blocks that were evaluated to their ends, since the path was zeroed: */
	uint64_t instructions, wait_cycles, statics, not_taken;
	/* Blocks that were entered lately, by their addresses; isa_evaluate_path enters no other.
	 */
	const struct isa_block *entered[ISA_PATH_ENTERED];
};

/* The place of the block at @address. */
static inline const struct isa_block **isa_path_entered(struct isa_path *p, uint64_t address)
{
	return &p->entered[(address ^ address / ISA_PATH_ENTERED) % ISA_PATH_ENTERED];
}

/* The path's block is over, left to @to by its last branch that was @taken, or not. The block where
 * it goes on; NULL: the caller of isa_evaluate_path has to find it, or has something to note. */
static inline __attribute__((always_inline)) const struct isa_block *
isa_path_leave(struct isa_path *p, const struct isa_block *b, const struct isa_shadow *shadow,
	       bool taken, uint64_t to)
{
	const struct isa_block *next;

	p->instructions += b->count;
	p->wait_cycles += b->wait;
	if (taken) {
		const struct isa_record *branch = &b->records[b->count - 1];
		unsigned count = p->count++;

		p->kinds[count] = branch->kind;
		p->taken[count] = (struct isa_taken){b->address + b->bytes - branch->length, to};
		p->statics += b->ends_static;
		if (count + 1 >= p->pause)
			return NULL;
	} else {
		p->not_taken += b->ends_branch;
	}
	if (!p->quiet && (*p->fresh || p->changes != shadow->changes))
		return NULL;
	next = *isa_path_entered(p, to);
	return next && next->address == to ? next : NULL;
}

/*
 * Evaluate from p->block on, where the state's pc is. ISA_TAKEN or ISA_NEXT: p->block is over, and
 * its last branch was taken or not. Else evaluation stopped at p->record of it.
 */
enum isa_outcome isa_evaluate_path(struct isa_path *p, struct isa_state *s,
				   const struct isa_memory *m);
