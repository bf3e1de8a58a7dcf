/* SPDX-License-Identifier: MIT */
/* Functions that are shown instruction by instruction: how often each ran, and in which loops. */
#pragma once

#include "converter/cfg/blocks.h"
#include "report/views/view.h"

struct function_listing {
	size_t part;
	const struct binary_function *function;
	uint64_t taken; /* branches that begin in it */
	struct block_finder *finder;
	const struct blocks *blocks;
	struct loops loops;
	uint64_t *counts; /* of each instruction, as ranges have it */
};

struct function_listings {
	VECTOR(struct function_listing) items; /* by falling branches */
};

/* Did options.function, if there is one, run? SOFTLBR_E_INPUT with names that are near it if not.
 */
int function_listings_check(const struct view *v, struct softlbr_error *e);
/*
 * That of options.function, by its linkage or its demangled name, in all parts; or of those with
 * the most taken branches. @l starts zeroed, to be ended also on failure. 0, or -1 without memory.
 */
int function_listings_make(struct function_listings *l, struct view *v);
void function_listings_deinit(struct function_listings *l);
/* The innermost loop that an instruction is in, by number; LOOPS_NONE. */
uint32_t function_listing_loop(const struct function_listing *l, size_t insn);
/* "o" where a loop begins, "|" inside: one for each loop around, the outer ones first. */
void function_listing_margin(const struct function_listing *l, size_t insn, char *room,
			     size_t size);

/* ---- arrows -------------------------------------------------------------------------------- */

/*
 * Jumps as arrows in the margin of a listing: a lane for each that overlaps others, the shortest
 * nearest to the text.
 *
 *	 +->	top of a loop
 *	 |
 *	 +--	jump back
 */

/* No more lanes: a jump that finds none has no arrow. */
#define FUNCTION_ARROW_LANES 6
#define FUNCTION_ARROW_BYTES (FUNCTION_ARROW_LANES + 3)

struct function_arrow {
	size_t from, to; /* rows */
	unsigned lane;	 /* from the text on; FUNCTION_ARROW_LANES: none */
};

struct function_arrows {
	VECTOR(struct function_arrow) items;
};

/* Start zeroed; 0, or -1 without memory. */
int function_arrows_add(struct function_arrows *a, size_t from, size_t to);
/* When all were added. */
void function_arrows_place(struct function_arrows *a);
/* What is in the margin of @row. */
void function_arrows_draw(const struct function_arrows *a, size_t row,
			  char room[FUNCTION_ARROW_BYTES]);
void function_arrows_deinit(struct function_arrows *a);
