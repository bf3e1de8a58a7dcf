/* SPDX-License-Identifier: MIT */
/* What is written of a conversion without a source profile: its counters for gcc -fprofile-use, and
 * its branches as pre-aggregated records (perf2bolt --pa), or as text of ranges. */
#pragma once

#include <stdio.h>

#include "converter/binary/binary.h"
#include "converter/gcc/counters/arc_counters.h"
#include "converter/gcc/counters/key_variants.h"
#include "converter/gcc/files/key_directory.h"
#include "converter/pipeline/conversion.h"
#include "formats/model/branch_profile.h"
#include "formats/model/function_graph.h"
#include "softlbr/error.h"

/* The counters by one key index (key_variants.h). */
struct profile_counters {
	struct key_directory keys;
	struct arc_counters counters;
};

/* The counters. Start zeroed. */
struct profile_outputs {
	struct key_directory keys;
	struct arc_counters counters;
	struct key_variants variants;
	VECTOR(struct profile_counters) others; /* by variant's number - 1 */
	uint64_t scale; /* each count of a recording is taken so often; 0: as profile_outputs_make
			   finds */
};

void profile_outputs_deinit(struct profile_outputs *o);
/* Make the counters of what conversion_make made for CONVERSION_COUNTERS, and of the keys in
 * @directory. @partial: gcc, which is told that training was partial, guesses itself of functions
 * without samples. SOFTLBR_E_BINARY if the keys are of another program, or of other sources. */
int profile_outputs_make(struct profile_outputs *o, struct conversion *c, const char *directory,
			 bool partial, struct softlbr_error *e);

/* The counters of object number @object. @out is initialised by the call. 0, or -1 without memory.
 */
int profile_outputs_of_object(const struct profile_outputs *o, uint32_t object,
			      struct counter_profile *out);

/* Write pre-aggregated records of @b. 0 or a negative code. */
int profile_outputs_preagg(struct binary *b, const struct branch_profile *p, const char *path,
			   struct softlbr_error *e);
/* Write them for a version of llvm-bolt, or for all (0), to a stream, whose own errors are the
 * caller's to look for. */
int profile_outputs_preagg_to(struct binary *b, const struct branch_profile *p, unsigned bolt,
			      FILE *out, struct softlbr_error *e);
/* Write the text that create_gcov --profiler=text of autofdo reads: addresses are file offsets. */
int profile_outputs_autofdo_to(const struct binary *b, const struct branch_profile *p, FILE *out,
			       struct softlbr_error *e);

/* What functions are ordered by: converter/layout/function_orders.h. */
enum profile_order {
	PROFILE_ORDER_CALLS,
	PROFILE_ORDER_HFSORT,
	PROFILE_ORDER_CDSORT,
	PROFILE_ORDER_STARTUP
};

/* One of formats/order_files.h. */
typedef int profile_outputs_order_writer(const struct function_graph *g, const uint32_t *order,
					 FILE *out, struct softlbr_error *e);

/* Write the order of @g's functions to @order, which has room for them. 0, or -1 without memory. */
int profile_outputs_order(const struct function_graph *g, enum profile_order by, uint32_t *order);
/* Write the functions of @b that ran by @p, by @write; @first_runs are as of struct
 * aggregate_result. The stream's own errors are the caller's to look for. */
int profile_outputs_order_to(const struct binary *b, const struct branch_profile *p,
			     const struct map *first_runs, enum profile_order by,
			     profile_outputs_order_writer *write, FILE *out,
			     struct softlbr_error *e);
