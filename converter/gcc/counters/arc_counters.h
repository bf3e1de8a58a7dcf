/* SPDX-License-Identifier: MIT */
/*
 * From a program's branch profile to the counters that an instrumented build of it would have
 * written, for gcc -fprofile-use. gcc's own control-flow graphs ("keys") say what the counters are
 * of; docs/counters.md has the way there.
 */
#pragma once

#include "converter/binary/binary.h"
#include "converter/gcc/counters/attributions.h"
#include "converter/gcc/counters/notes_index.h"
#include "converter/gcc/counters/rounds.h"
#include "converter/gcc/files/counter_profile.h"
#include "converter/gcc/files/gcc_graph.h"
#include "formats/model/branch_profile.h"
#include "formats/model/value_profile.h"
#include "softlbr/error.h"

/* ---- the counters of values (value_sets.c) -------------------------------------------------- */

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

/* ---- all counters --------------------------------------------------------------------------- */

/* Start zeroed. */
struct arc_counters {
	struct notes_index keys;
	struct attributions attributions;
	struct rounds rounds;
	uint64_t most;		   /* the greatest counter of the program, as gcc is told */
	size_t without_columns;	   /* functions: they are not those of the keys */
	const char *first_without; /* of them the one that ran most, a text of the keys */
	struct value_sets values;
};

void arc_counters_deinit(struct arc_counters *c);
/* Which functions go on as gcc guesses where nothing was seen of them. */
enum arc_guesses {
	ARC_GUESSES_NONE, /* counts are exact: what was not seen never ran */
	ARC_GUESSES_SEEN, /* those of which something was seen; gcc guesses for the others */
	ARC_GUESSES_ALL,
};

/*
 * After the functions of all object files were added to the keys. @p: counts that conserve flow
 * within functions, each taken @scale times, so that few traces leave room for fractions. 0 or a
 * negative code.
 */
int arc_counters_make(struct arc_counters *c, struct binary *b, const struct branch_profile *p,
		      uint64_t scale, enum arc_guesses guesses, struct softlbr_error *e);
/* Then value counters: of where calls by pointers went in @p, and of @values, which may be NULL.
 * What is @sampled is taken from 20 samples of a site on. 0 or a negative code. */
int arc_counters_add_values(struct arc_counters *c, const struct branch_profile *p, uint64_t scale,
			    bool sampled, const struct value_profile *values,
			    struct softlbr_error *e);
/* The counters of object number @object, whose graph is @g. @out is initialised by the call. 0, or
 * -1 without memory. */
int arc_counters_of_object(const struct arc_counters *c, uint32_t object, const struct gcc_graph *g,
			   struct counter_profile *out);
