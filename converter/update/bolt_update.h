/* SPDX-License-Identifier: MIT */
/*
 * llvm-bolt's records of an older build for a newer one: blocks of a function are followed by what
 * their instructions do and call (A. Ayupov, M. Panchenko, S. Pupyrev, "Stale Profile Matching",
 * CC 2024, use such hashes), as lines are in source_update.h; a record goes where its two blocks
 * are, if the newer one leads to the other there.
 */
#pragma once

#include "converter/binary/binary.h"
#include "converter/cfg/blocks.h"
#include "converter/update/source_update.h"
#include "formats/model/bolt_profile.h"
#include "softlbr/error.h"

/* One of the two builds. */
struct bolt_side {
	struct binary *binary;
	struct branch_profile none;
	struct block_finder *blocks;
	function_bodies bodies; /* a line for each block */
	struct strings *names;
	struct map by_name; /* (name, 0) -> n = function + 1: as llvm-bolt has it */
	struct map by_base; /* the same of names without what compilers append; n = 0 of several */
};

/* What became of a function. */
struct bolt_pair {
	enum update_kind kind;
	const struct binary_function *before, *after;
	bool same_code;
	struct line_map map; /* of blocks: number + 1 */
};

struct bolt_update {
	struct bolt_side before, after;
	VECTOR(struct bolt_pair)
	pairs;			     /* by the older functions' numbers; kind OUTSIDE: not made */
	VECTOR(uint64_t) lost;	     /* the same: counts */
	struct update_funnel funnel; /* lines are records */
	VECTOR(struct update_loss) losses;
};

/* Add the records of @from, which is of @before, to @to, as those of @after. Both binaries outlive
 * @u, which is zeroed and ended with bolt_update_deinit also on failure. 0 or a negative code. */
int bolt_update_make(struct bolt_update *u, struct binary *before, struct binary *after,
		     const struct bolt_profile *from, struct bolt_profile *to,
		     struct softlbr_error *e);
void bolt_update_deinit(struct bolt_update *u);
