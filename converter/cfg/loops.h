/* SPDX-License-Identifier: MIT */
/*
 * The natural loops of a function: a jump back to a block that all paths to it go through, and the
 * blocks from which the jump is reached without that. Jumps back to one block are one loop. What a
 * cycle with several ways in has, which compilers hardly make, is no loop here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "converter/cfg/blocks.h"

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
