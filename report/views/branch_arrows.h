/* SPDX-License-Identifier: MIT */
/*
 * Jumps as arrows in the margin of a listing: a lane for each that overlaps others, the shortest
 * nearest to the text.
 *
 *	 +->	top of a loop
 *	 |
 *	 +--	jump back
 */
#ifndef REPORT_VIEWS_BRANCH_ARROWS_H
#define REPORT_VIEWS_BRANCH_ARROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

/* No more lanes: a jump that finds none has no arrow. */
#define BRANCH_ARROW_LANES 6
#define BRANCH_ARROW_BYTES (BRANCH_ARROW_LANES + 3)

struct branch_arrow {
	size_t from, to; /* rows */
	unsigned lane;	 /* from the text on; BRANCH_ARROW_LANES: none */
};

struct branch_arrows {
	VECTOR(struct branch_arrow) items;
};

/* Start zeroed; 0, or -1 without memory. */
int branch_arrows_add(struct branch_arrows *a, size_t from, size_t to);
/* When all were added. */
void branch_arrows_place(struct branch_arrows *a);
/* What is in the margin of @row. */
void branch_arrows_draw(const struct branch_arrows *a, size_t row, char room[BRANCH_ARROW_BYTES]);
void branch_arrows_deinit(struct branch_arrows *a);

#endif
