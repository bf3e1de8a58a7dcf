/* SPDX-License-Identifier: MIT */
/*
 * A CFG profile's shape: one function cut into straight segments that begin and end where control
 * can, and all edges between them as a flow network with the counts of a branch profile laid on it.
 *
 * A segment is a block, or a part of one: it also ends at a call, and begins at any observed
 * target. A call that comes back is an edge from its segment to the next.
 *
 * From a function's network with its flows back to branches and ranges. Flow along fall-throughs is
 * cut into ranges first in, first out.
 */
#pragma once

#include "converter/cfg/blocks.h"
#include "mcf/flow.h"

struct cfg_branch {
	uint64_t from, to, n, m;
};

/* The branches of a profile from where they leave, and to where they arrive. */
struct cfg_branches {
	VECTOR(struct cfg_branch) by_from; /* ascending by (from, to) */
	VECTOR(struct cfg_branch) by_to;   /* ascending by (to, from) */
	uint64_t arriving, ranges;	   /* sums, for cfg_branches_weigh() */
};

struct cfg_segment {
	uint64_t begin, last; /* addresses of the first and the last instruction */
	uint8_t kind;	      /* of the last one, enum isa_kind */
	uint64_t target;      /* of the last one, if direct */
};

enum cfg_edge_kind {
	CFG_FALL,
	CFG_RETURNED, /* from a call to what follows it */
	CFG_JUMP,
	CFG_ENTRY,
	CFG_EXIT,  /* jump or return out of the function, or a call that does not come back */
	CFG_TABLE, /* half of a jump by a table that was not found (converter/cfg/ip_profile.c) */
};

struct cfg {
	VECTOR(struct cfg_segment) segments;
	struct flow_network network; /* a node for each segment */
	VECTOR(uint8_t) kinds;	     /* of the network's edges */
};

/* All of a profile; start zeroed. 0, or -1 without memory. */
int cfg_branches_init(struct cfg_branches *b, const struct branch_profile *p);
/* by_from alone: the branches that leave from @places, (from, 0); NULL = from wherever. */
int cfg_branches_init_leaving(struct cfg_branches *b, const struct branch_profile *p,
			      const struct map *places);
/*
 * From here on cfg_make() brings what ranges count to the scale of branches: a trace of 16 branches
 * has 15 ranges between them, while the program runs one behind each branch that it takes.
 */
void cfg_branches_weigh(struct cfg_branches *b, const struct branch_profile *p);
void cfg_branches_deinit(struct cfg_branches *b);
/* The first of @items whose from (or to) is not below @va. */
size_t cfg_branches_from(const struct cfg_branches *b, uint64_t va);
size_t cfg_branches_to(const struct cfg_branches *b, uint64_t va);

/*
 * The network of a function; @ranges are its ranges, sorted. @cfg is zeroed, to be ended with
 * cfg_deinit. 0, or -1 without memory.
 */
int cfg_make(struct cfg *cfg, struct binary *binary, const struct blocks *blocks,
	     const struct cfg_branches *branches, struct map_entry *const *ranges, size_t count);
void cfg_deinit(struct cfg *cfg);
/* The segment that holds @va; SIZE_MAX if none. */
size_t cfg_find(const struct cfg *cfg, uint64_t va);

/* Add to @out. Where an instruction can go to several places that the network does not tell apart
 * (calls, returns), what was @seen is shared out in proportion; @branches are those of @seen. 0, or
 * -1 without memory. */
int cfg_write(const struct cfg *cfg, const struct branch_profile *seen,
	      const struct cfg_branches *branches, struct branch_profile *out);
/* The branches alone. */
int cfg_write_branches(const struct cfg *cfg, const struct branch_profile *seen,
		       const struct cfg_branches *branches, struct branch_profile *out);

/* For each edge of the network the share, 0 to 1, of its segment's runs that leave by it; to be
 * freed with memory_free. Edges from outside have 1. NULL without memory. */
double *static_branches_shares(const struct cfg *cfg);

/* How often each instruction ran, by the ranges between back-to-back taken branches; @ranges are
 * the function's. @counts: one per instruction. */
void instruction_counts_of_ranges(const struct code *code, struct map_entry *const *ranges,
				  size_t count, uint64_t *counts);
