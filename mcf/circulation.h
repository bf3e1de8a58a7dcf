/* SPDX-License-Identifier: MIT */
/*
 * Circulations of least cost where what is known of a flow is not one number but several, each with
 * a cost of going below it and of going above it: an interval is two such. The sum of them is
 * convex, and a piece of it between two numbers is an arc beside the others; so the result is
 * exact, and in integers, which is why nothing has to be rounded afterwards.
 */
#pragma once

#include <stdint.h>

#include "base/vector.h"

/* Flows stay below. */
#define CIRCULATION_LIMIT (UINT64_C(1) << 60)

struct circulation_arc {
	uint32_t from, to; /* nodes */
	uint32_t cost;	   /* of each unit */
	uint64_t flow;	   /* the result */
};

/* Each unit that the flow of a node or arc is below, or above, @at costs so much. */
struct circulation_demand {
	uint32_t of; /* an arc, or CIRCULATION_NODE + a node */
	uint32_t below, above;
	uint64_t at;
};

#define CIRCULATION_NODE (UINT32_C(1) << 31)

/* Start zeroed. */
struct circulation {
	uint32_t nodes;
	VECTOR(struct circulation_arc) arcs;
	VECTOR(struct circulation_demand) demands; /* sorted by the solver */
};

void circulation_deinit(struct circulation *c);
/* 0, or -1 without memory. Wishes for flows above the limit are for the limit. */
int circulation_add_arc(struct circulation *c, uint32_t from, uint32_t to, uint32_t cost);
int circulation_demand(struct circulation *c, uint32_t of, uint64_t at, uint32_t below,
		       uint32_t above);
/* Set the arcs' flows. 0; 1 if the solver gave up after @work (mincost.h), or the network is too
 * large for it; -1 without memory. Unless it is 0, flows are undefined. */
int circulation_solve(struct circulation *c, uint64_t work);
