/* SPDX-License-Identifier: MIT */
/*
 * From a branch profile to BOLT's records.
 *
 * BOLT's records back to the branch profile that they came from, as far as they go: returns and
 * what ran inside of blocks are not in them.
 */
#pragma once

#include "base/map.h"
#include "converter/binary/binary.h"
#include "formats/model/bolt_profile.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

struct bolt_convert_stats {
	/* in = inside + calls + entries + exits + returns + the causes of loss */
	struct {
		uint64_t in;
		uint64_t inside;  /* written: jumps within a function */
		uint64_t calls;	  /* written: calls and jumps to other functions, to PLT stubs and
				     from these */
		uint64_t entries; /* written: into a function or PLT stub from outside */
		uint64_t exits;	  /* written: to what has no symbol */
		uint64_t returns; /* not written: BOLT has no use for them */
		uint64_t no_function; /* `from` lies in no function (crt code, within PLT stubs) */
		uint64_t no_entry;    /* arrives inside a function where BOLT sees no block */
	} branches;
	/* Ranges: in = functions + no_function + no_block; each may give several records, or none
	 */
	struct {
		uint64_t in, functions, no_function, no_block;
	} ranges;
	uint64_t fall_throughs; /* the sum of the fall-through records' counts */
};

/*
 * Convert a profile that validate_profile has passed into @out (which the caller initialised),
 * sorted. Taken branches become records as they are; a range becomes one fall-through record per
 * block boundary that it crosses, from the last instruction of the block. 0 or a negative code.
 */
int bolt_convert_from_branches(struct binary *b, const struct branch_profile *clean,
			       struct bolt_profile *out, struct bolt_convert_stats *stats,
			       struct softlbr_error *e);

/*
 * Add the records of @p to @out. A record from a conditional jump to what follows it, or from what
 * is no branch, becomes a range over that one instruction. *unknown: the sum of the counts of
 * records whose symbols are not in @b. 0, or -1 without memory.
 */
int bolt_convert_to_branches(struct binary *b, const struct bolt_profile *p,
			     struct branch_profile *out, uint64_t *unknown);

/* ---- names (bolt_names.c) ------------------------------------------------------------------ */

/* Fill @functions, zeroed: (symbol in @strings, 0) -> n = the address of the function in @b that
 * llvm-bolt knows by it. 0, or -1 without memory. */
int bolt_names_find(struct binary *b, const struct strings *strings, struct map *functions);
/* Call each function of @b that is in @p by the name that our converter gives it; names that are
 * not in @b stay. 1; 0 if none is; -1 without memory. */
int bolt_names_unify(struct binary *b, struct bolt_profile *p);

/* The names of profiles that are added up without their binary. Start zeroed. */
struct bolt_names {
	struct strings *strings;
	struct map forms; /* (name alone, form) -> n = the profile + 1, m = the whole name */
};

/* The same function by two names, as far as names tell. */
struct bolt_names_clash {
	uint32_t profile;	    /* the earlier one */
	const char *earlier, *name; /* there, and in the one that was added; live as both do */
};

void bolt_names_deinit(struct bolt_names *n);
/* Add those of profile number @profile. 1: there is a clash; 0; -1 without memory. */
int bolt_names_add(struct bolt_names *n, const struct bolt_profile *p, uint32_t profile,
		   struct bolt_names_clash *clash);
