/* SPDX-License-Identifier: MIT */
/*
 * A profile of older sources for newer ones: each line's count goes where the line is, names of
 * functions become those that they have. What is inlined at a call that is gone is given to its
 * function, as compilers do with calls that they don't inline.
 */
#pragma once

#include "formats/model/source_profile.h"
#include "softlbr/error.h"
#include "converter/update/function_pairs.h"

/* What became of the functions, of the profile's lines, and of their counts. Each adds up to what
 * the profile had. */
struct update_funnel {
	uint64_t functions[UPDATE_KINDS], lines[UPDATE_KINDS], weight[UPDATE_KINDS];
};

/* A function that lost counts. */
struct update_loss {
	const char *name; /* borrowed from the pairs */
	uint64_t weight;
	bool whole;	       /* the function was not found */
	bool other_parameters; /* it was, but for its new linkage name */
};

struct source_update {
	struct update_funnel funnel;
	VECTOR(struct update_loss) losses; /* by falling weight */
	bool changed;			   /* else the new profile is the old one */
};

/* Make @to (uninitialised) of @from. 0 or a negative code; end both with their deinit in any case.
 * @u is zeroed. */
int source_update_make(struct source_update *u, struct function_pairs *pairs,
		       const struct source_profile *from, struct source_profile *to,
		       struct softlbr_error *e);
void source_update_deinit(struct source_update *u);
