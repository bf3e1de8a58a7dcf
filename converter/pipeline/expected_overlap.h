/* SPDX-License-Identifier: MIT */
/*
 * The expected overlap of a profile with exact counts, of what its counts rest on
 * (samples/evidence.h): a number with its interval, and what to do about it.
 */
#pragma once

#include "base/map.h"
#include "base/overlap_estimate.h"
#include "base/vector.h"
#include "converter/binary/binary.h"
#include "converter/samples/evidence.h"

struct expected_overlap {
	bool known; /* else there is nothing below */
	struct overlap_estimate estimate;
	double spread, spread_untimed; /* as struct evidence has them */
	bool biased;
	double seconds;		/* that were recorded; NaN: not known */
	double untimed;		/* share of the weight that is of code which was hardly timed */
	const char *untimed_at; /* the function that most of it is in, borrowed; NULL: not known */
	uint64_t fewest_traces; /* of the hot function that has the fewest; 0: not known */
};

/* What the counts of a function rest on. */
struct expected_overlap_function {
	const struct binary_function *function;
	double weight, untimed; /* and how much of it is in code that was hardly timed */
	uint64_t traces;	/* that have its most frequent branch */
};

struct expected_overlap_functions {
	VECTOR(struct expected_overlap_function) items;
	struct map numbers; /* (first address, 0) -> n = index + 1 */
};

/* A hot function has so much of the weight. */
#define OVERLAP_FUNCTION_HOT 0.01

/* @list: zeroed, ended by expected_overlap_functions_deinit. Without memory some are missing. */
void expected_overlap_functions_find(struct expected_overlap_functions *list,
				     const struct evidence *evidence, const struct binary *binary);
/* That which begins there; NULL: no branch of it was recorded. */
const struct expected_overlap_function *
expected_overlap_functions_at(const struct expected_overlap_functions *list, uint64_t begin);
void expected_overlap_functions_deinit(struct expected_overlap_functions *list);

/* Of a recording of @seconds (NaN: not known), with names of @binary (may be NULL). */
struct expected_overlap expected_overlap_of(const struct evidence *evidence, double seconds,
					    const struct binary *binary);
/* "84 % (76 to 91 %) expected overlap with exact counts"; the text's length, as snprintf. */
int expected_overlap_print(const struct expected_overlap *o, char *text, size_t size);
/* What to do so that it becomes at least @wanted, as "record 20 s more"; the text's length. */
int expected_overlap_advise(const struct expected_overlap *o, double wanted, char *text,
			    size_t size);
