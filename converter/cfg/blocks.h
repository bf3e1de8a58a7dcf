/* SPDX-License-Identifier: MIT */
/*
 * A function's basic blocks as llvm-bolt sees them, and the edges between them.
 *
 * A block begins at: the function's start; the target of a direct jump (of the function, of its
 * other parts, or observed from elsewhere); a jump table's target, though never executed; an
 * observed target of an indirect jump of the function; a landing pad; behind a jump, return or
 * stop. Not behind a call, not even one that has a landing pad. `jcc; jmp` is one block, unless
 * one of them leaves the function. Nops are instructions: a run of them can be a block.
 */
#pragma once

#include "base/vector.h"
#include "converter/binary/code.h"
#include "formats/model/branch_profile.h"

struct block {
	uint32_t first, count; /* instructions, by number in the function's code */
	uint64_t begin, last;  /* addresses of the first and the last instruction */
	bool entry;	       /* control comes in here from other functions */
	bool landing_pad;
};

enum block_edge_kind {
	BLOCK_FALL,	/* runs on into the next block */
	BLOCK_JUMP,	/* direct jump, taken */
	BLOCK_INDIRECT, /* by jump table, or observed */
	BLOCK_UNWIND,	/* exception to a landing pad */
};

struct block_edge {
	uint32_t from, to; /* blocks by number */
	uint64_t insn;	   /* address of the instruction that makes it */
	uint8_t kind;
};

struct blocks {
	const struct code *code;
	VECTOR(struct block) items;	 /* ascending */
	VECTOR(struct block_edge) edges; /* ascending by (from, to, insn) */
};

/* The number of the block that holds the instruction at @va; CODE_NONE if none starts there. */
size_t block_list_find(const struct blocks *b, uint64_t va);
/* Is there an edge from the instruction at @from to the block that starts at @to? */
bool block_list_has_edge(const struct blocks *b, uint64_t from, uint64_t to);

struct block_finder;

/* Both stay with the caller and outlive the finder. NULL without memory. */
struct block_finder *block_finder_new(struct binary *b, const struct branch_profile *clean);
void block_finder_free(struct block_finder *finder);
/* The function's blocks, owned by the finder; NULL without memory. */
const struct blocks *block_finder_get(struct block_finder *finder, const struct binary_function *f);

/*
 * The natural loops of a function: a jump back to a block that all paths to it go through, and the
 * blocks from which the jump is reached without that. Jumps back to one block are one loop. What a
 * cycle with several ways in has, which compilers hardly make, is no loop here.
 */
#define LOOPS_NONE UINT32_MAX

struct loop {
	uint32_t head;	 /* a block, by number */
	uint32_t parent; /* the next larger loop that it is in, by number, or LOOPS_NONE */
	uint32_t depth;	 /* 1: in no other */
	uint32_t blocks; /* those of inner loops among them */
};

struct loops {
	VECTOR(struct loop) items; /* outer ones before those in them */
	uint32_t *of_block;	   /* the innermost one, by the block's number; LOOPS_NONE */
};

/* @loops starts zeroed, and is to be ended also on failure. 0, or -1 without memory. */
int loops_find(struct loops *loops, const struct blocks *b);
void loops_deinit(struct loops *loops);
/* Is the block in the loop, or in one that is in it? */
bool loops_contain(const struct loops *loops, uint32_t loop, uint32_t block);
