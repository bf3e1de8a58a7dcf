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
#include "converter/gcc/counters/value_sets.h"
#include "converter/gcc/files/counter_profile.h"
#include "converter/gcc/files/gcc_graph.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

/* Start zeroed. */
struct arc_counters {
	struct notes_index keys;
	struct attributions attributions;
	struct rounds rounds;
	uint64_t most; /* the greatest counter of the program, as gcc is told */
	struct value_sets values;
};

void arc_counters_deinit(struct arc_counters *c);
/*
 * After the functions of all object files were added to the keys. @p: counts that conserve flow
 * within functions, each taken @scale times, so that few traces leave room for fractions. Of
 * @sampled counts, that a function was not seen does not say that it never ran. 0 or a negative
 * code.
 */
int arc_counters_make(struct arc_counters *c, struct binary *b, const struct branch_profile *p,
		      uint64_t scale, bool sampled, struct softlbr_error *e);
/* Then value counters: of where calls by pointers went in @p, and of @values, which may be NULL.
 * What is @sampled is taken from 20 samples of a site on. 0 or a negative code. */
int arc_counters_add_values(struct arc_counters *c, const struct branch_profile *p, uint64_t scale,
			    bool sampled, const struct value_profile *values,
			    struct softlbr_error *e);
/* The counters of object number @object, whose graph is @g. @out is initialised by the call. 0, or
 * -1 without memory. */
int arc_counters_of_object(const struct arc_counters *c, uint32_t object, const struct gcc_graph *g,
			   struct counter_profile *out);
