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

/* What is counted of blocks that were evaluated to their ends: four numbers, added at once. */
struct isa_tally {
	uint32_t instructions;
	uint32_t wait_cycles; /* of its records */
	uint32_t statics;     /* direct jumps and calls */
	uint32_t branches;    /* taken or not */
};

struct isa_block {
	uint64_t address;
	uint16_t bytes; /* of code */
	uint8_t count;	/* of records; only the last may be a branch or unmodelled */
	uint8_t kind;	/* of the last record */
	uint8_t last;	/* where that begins: bytes behind the address */
	struct isa_tally tally;
	/* atomic, the decode cache's: what came last behind it, by a taken branch [1] or none */
	const struct isa_block *next[2];
	/* `count` of them, as isa_evaluate_line wants them */
	struct isa_record records[ISA_BLOCK_RECORDS + 1];
};

/* How many records are there, with the one that ends the line. */
static inline unsigned isa_block_records(const struct isa_block *b)
{
	return b->count + (b->kind == ISA_OTHER);
}

#define ISA_PATH_SETS 1024u /* a power of two */

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
	struct isa_tally tally;
	/* Blocks that were entered lately, by their addresses, in each set the one that was looked
	 * for last first; isa_evaluate_path enters no other. */
	const struct isa_block *entered[ISA_PATH_SETS][2];
};

/* The set of the block at @address. */
static inline const struct isa_block **isa_path_set(struct isa_path *p, uint64_t address)
{
	_Static_assert(ISA_PATH_SETS == 1u << (64 - 54), "the shift must match the sets");
	return p->entered[address * 0x9e3779b97f4a7c15u >> 54];
}

/* The path enters the block, which becomes its set's first. Was it one of them? */
static inline bool isa_path_enter(struct isa_path *p, const struct isa_block *b)
{
	const struct isa_block **set = isa_path_set(p, b->address), *first = set[0];
	bool there = first == b || set[1] == b;

	if (first != b) {
		set[0] = b;
		set[1] = first;
	}
	return there;
}

/* The block of a set that begins at @to; NULL: there is none. */
static inline const struct isa_block *isa_path_find(const struct isa_block **set, uint64_t to)
{
	const struct isa_block *first = set[0], *second;

	if (__builtin_expect(first && first->address == to, 1))
		return first;
	second = set[1];
	if (!second || second->address != to)
		return NULL;
	set[0] = second;
	set[1] = first;
	return second;
}

static inline void isa_path_count(struct isa_path *p, const struct isa_block *b)
{
	const struct isa_tally more = b->tally;

	p->tally.instructions += more.instructions;
	p->tally.wait_cycles += more.wait_cycles;
	p->tally.statics += more.statics;
	p->tally.branches += more.branches;
}

/* The path's block is over, left to @to by its last branch that was @taken, or not. The block where
 * it goes on; NULL: the caller of isa_evaluate_path has to find it, or has something to note. */
static inline __attribute__((always_inline)) const struct isa_block *
isa_path_leave(struct isa_path *p, const struct isa_block *b, const struct isa_shadow *shadow,
	       bool taken, uint64_t to)
{
	isa_path_count(p, b);
	if (taken) {
		unsigned count = p->count++;

		p->kinds[count] = b->kind;
		p->taken[count] = (struct isa_taken){b->address + b->last, to};
		if (count + 1 >= p->pause)
			return NULL;
	}
	if (!p->quiet && (*p->fresh || p->changes != shadow->changes))
		return NULL;
	return isa_path_find(isa_path_set(p, to), to);
}

/*
 * Evaluate from p->block on, where the state's pc is. ISA_TAKEN or ISA_NEXT: p->block is over, and
 * its last branch was taken or not. Else evaluation stopped at p->record of it.
 */
enum isa_outcome isa_evaluate_path(struct isa_path *p, struct isa_state *s,
				   const struct isa_memory *m);
