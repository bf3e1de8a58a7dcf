/* SPDX-License-Identifier: MIT */
/*
 * Which branches are calls, and how often each function was entered.
 *
 * Do a profile's ranges and branches tell the same story? What runs into a jump or a call
 * leaves by it, so that no such instruction ends more ranges than it was taken times. Where the two
 * come from different places, or one of them is shifted or incomplete, it does. Conditional
 * branches don't tell: exact counts of instructions come as ranges that end there taken or not.
 */
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "converter/binary/binary.h"
#include "converter/source/attribute.h"

/* A call, or a jump that leaves the function for the first instruction of another. */
struct attribute_call {
	uint64_t from, count;
	const struct binary_function *callee;
};

struct attribute_entry {
	uint64_t entered; /* from elsewhere */
	uint64_t jumped;  /* to the first instruction from within: loops, and parts from their whole
			   */
	uint64_t left;	  /* for a place of this module that it was called from */
	bool returned_to; /* a return goes to the first instruction: coroutines, retpolines */
};

struct attribute_calls {
	VECTOR(struct attribute_call) list; /* by from */
	struct map entries;		    /* first instruction -> entered, jumped */
	struct map exits;		    /* first instruction -> left, returned to */
};

/* Start zeroed. 0, or -1 without memory. */
int attribute_calls_collect(struct attribute_calls *c, struct binary *b,
			    const struct branch_profile *clean, struct attribute_stats *stats);
void attribute_calls_deinit(struct attribute_calls *c);
/* The calls made by @f: from the returned one up to *end. */
const struct attribute_call *attribute_calls_from(const struct attribute_calls *c,
						  const struct binary_function *f,
						  const struct attribute_call **end);
struct attribute_entry attribute_calls_entry(const struct attribute_calls *c, uint64_t begin);
/* How long the name of the function is that @f is such a part of; 0 if it is none. */
size_t attribute_calls_whole(const struct binary_function *f);
/* Is @f an outlined part (.cold) that nothing but its own function enters? */
bool attribute_calls_is_part(const struct binary_function *f);

/* Set the fields of @stats on ends of ranges. 0, or -1 without memory. */
int attribute_range_ends_count(struct binary *b, const struct branch_profile *clean,
			       struct attribute_stats *stats);
