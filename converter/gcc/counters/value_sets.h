/* SPDX-License-Identifier: MIT */
/*
 * What gcc's value sites saw, from the program's own code: the targets of its calls by pointers,
 * which traces have, and the divisors and sizes that a recording with values tells. A site's
 * statement may be many instructions, of several instances: they add up.
 *
 * Not looked for: quotients and addresses (gcc's interval and ior). Nothing of them is claimed.
 */
#pragma once

#include "converter/gcc/counters/notes_index.h"
#include "converter/gcc/counters/rounds.h"
#include "converter/gcc/files/counter_profile.h"
#include "formats/model/branch_profile.h"
#include "formats/model/value_profile.h"

/* Start zeroed. */
struct value_sets {
	VECTOR(size_t) first; /* by function: the number of its first site */
	/* By site's number instead of an address. A target is a function of the key index, + 1; 0
	 * is one without keys. */
	struct value_profile seen;
	struct value_table table; /* of it */
	VECTOR(bool) kinds;	  /* by object and kind: has a function of it such sites? */
	uint64_t least;
};

void value_sets_deinit(struct value_sets *v);
/*
 * After all rounds. @p: where calls went, each count taken @scale times. @values: what a recording
 * tells, or NULL. A site of which less than @least runs or samples are known is left alone. 0, or
 * -1 without memory.
 */
int value_sets_make(struct value_sets *v, const struct rounds *r, const struct branch_profile *p,
		    uint64_t scale, const struct value_profile *values, uint64_t least);
/*
 * Add the sets of value counters of a function that are in an object's file to @to, behind its
 * arcs; those of one without sites are empty. @arcs: how often each ran; NULL: never. 0, or -1
 * without memory.
 */
int value_sets_add(const struct value_sets *v, const struct notes_index *keys,
		   const struct notes_function *f, const uint64_t *arcs,
		   struct counter_function *to);
