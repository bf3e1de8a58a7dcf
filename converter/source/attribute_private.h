/* SPDX-License-Identifier: MIT */
/* The parts of attribute.c: calls, functions in several parts, and how often code ran. */
#pragma once

#include "base/map.h"
#include "base/strings.h"
#include "base/vector.h"
#include "converter/binary/binary.h"
#include "converter/debuginfo/debuginfo.h"
#include "converter/source/attribute.h"
#include "formats/model/source_profile.h"

/* ---- calls (attribute_calls.c) -------------------------------------------------------------- */

/* A call, or a jump that leaves the function for the first instruction of another. */
struct attribute_call {
	uint64_t from, count;
	const struct binary_function *callee;
};

struct attribute_entry {
	uint64_t entered; /* from elsewhere */
	uint64_t jumped;  /* to the first instruction from within: loops, parts from their whole */
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

/* ---- functions in parts (parted.c) --------------------------------------------------------- */

struct parted_function {
	struct source_function function;
	bool named; /* after the symbol that is no part */
	bool ran;
	bool copies; /* as in struct debuginfo_function */
};

/* Start zeroed. */
struct parted_functions {
	struct strings *names;
	struct map numbers; /* (name, compilation unit) -> n = number */
	VECTOR(struct parted_function) items;
};

/* All of @b; -1 without memory. */
int parted_functions_find(struct parted_functions *p, const struct binary *b,
			  const struct debuginfo *d);
void parted_functions_deinit(struct parted_functions *p);
/* The function that the symbol @f is of; NULL if that is in one part. */
struct parted_function *parted_function_of(struct parted_functions *p, const struct debuginfo *d,
					   const struct binary_function *f);

/* ---- how often code ran (segments.c) ------------------------------------------------------- */

/* Code [begin,end) that ran @count times. */
struct segment {
	uint64_t begin, end, count;
};

struct segment_edge {
	uint64_t at, count;
	bool ends;
};

/* Start zeroed. */
struct segments {
	VECTOR(struct segment) list; /* ascending, disjoint; those that did not run are left out */
	VECTOR(struct segment_edge) edges;
};

void segments_deinit(struct segments *s);
void segments_clear(struct segments *s);
/* [begin,end) ran @count times more. -1 without memory. */
int segments_add(struct segments *s, uint64_t begin, uint64_t end, uint64_t count);
/* Make the list of what was added. -1 without memory. */
int segments_sweep(struct segments *s);
uint64_t segments_count_at(const struct segments *s, uint64_t va);
