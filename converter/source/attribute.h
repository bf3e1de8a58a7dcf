/* SPDX-License-Identifier: MIT */
/*
 * From a branch profile to a source profile: counts per instruction become counts per source
 * position. The rules are in docs/attribution.md.
 */
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "converter/binary/binary.h"
#include "converter/debuginfo/debuginfo.h"
#include "formats/model/branch_profile.h"
#include "formats/model/source_profile.h"
#include "softlbr/error.h"

/* Weights are executions times bytes of code. */
struct attribute_stats {
	uint64_t weight;	   /* of all ranges */
	uint64_t weight_placed;	   /* of them at a source position */
	uint64_t weight_no_symbol; /* in no function symbol */
	uint64_t weight_no_row;	   /* in a function, but in no row of a line table, or in no
				    * function that DWARF knows */
	uint64_t weight_line_zero; /* at a row of line 0, or inlined at line 0 */

	struct producer producer; /* of most of the weight that has one */

	uint64_t functions;	     /* symbols that ran */
	uint64_t functions_no_debug; /* of them without any debug information */
	uint64_t units_unreadable;   /* compilation units whose line table is refused: see
				      * debuginfo_unreadable_units */
	/* How many ranges ran in functions with debug information, without .cold parts, which
	 * nothing but their own function enters; and of them in those with a zero head count: left
	 * as a function is that was called, and never seen to be entered. */
	uint64_t runs;
	uint64_t runs_zero_head;

	uint64_t entries; /* calls, tail jumps and arrivals from outside, into functions that
			   * ran */
	uint64_t calls;	  /* by a call instruction, to this module's code */
	uint64_t calls_to_function; /* of them to the first instruction of a function, or to a PLT
				     * stub */
	uint64_t calls_attributed;  /* calls and tail jumps written as a target */
	uint64_t target_lines;	    /* source positions with at least one target */
	uint64_t call_sites;	    /* call instructions that were seen calling a function */

	/* At the first instructions of the functions: times run, and by how much that differs from
	 * times entered and jumped to. */
	uint64_t entry_runs, entry_residual;

	/* Ranges that end at an unconditional branch other than a return, and at a call; and of
	 * them those beyond what was seen to leave there. */
	uint64_t range_ends, range_ends_unrecorded, call_runs, call_runs_unrecorded;
};

/*
 * A profile without ranges is one of samples alone: what a position was sampled is the sum over its
 * instructions then, and nothing is known of entries and calls.
 *
 * @out is initialised by the call, also when it fails. @clean must hold only ranges that stay in
 * one function and that control can run through (converter/samples/validate.h). @stats may be NULL.
 * Nothing attributed is no error: look at stats->weight_placed.
 */
int attribute_branches(struct binary *b, const struct branch_profile *clean,
		       struct source_profile *out, struct attribute_stats *stats,
		       struct softlbr_error *e);
/* Let the functions of @p, as attribute_branches made it, have run first when the earliest of their
 * addresses in @first_runs did (converter/samples/aggregate.h). */
void attribute_first_runs(struct binary *b, const struct map *first_runs, struct source_profile *p);
