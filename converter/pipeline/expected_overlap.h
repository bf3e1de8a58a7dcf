/* SPDX-License-Identifier: MIT */
/*
 * The expected overlap of a profile with exact counts, of what its counts rest on
 * (samples/evidence.h): a number with its interval, and what to do about it.
 */
#pragma once

#include "converter/binary/binary.h"
#include "converter/samples/evidence.h"
#include "base/overlap_estimate.h"

struct expected_overlap {
	bool known; /* else there is nothing below */
	struct overlap_estimate estimate;
	double spread, spread_untimed; /* as struct evidence has them */
	bool biased;
	double seconds;		/* that were recorded; NaN: not known */
	double untimed;		/* share of the weight that is of code which was hardly timed */
	const char *untimed_at; /* the function that most of it is in, borrowed; NULL: not known */
};

/* Of a recording of @seconds (NaN: not known), with names of @binary (may be NULL). */
struct expected_overlap expected_overlap_of(const struct evidence *evidence, double seconds,
					    const struct binary *binary);
/* "84 % (76 to 91 %) expected overlap with exact counts"; the text's length, as snprintf. */
int expected_overlap_print(const struct expected_overlap *o, char *text, size_t size);
/* What to do so that it becomes at least @wanted, as "record 20 s more"; the text's length. */
int expected_overlap_advise(const struct expected_overlap *o, double wanted, char *text,
			    size_t size);
