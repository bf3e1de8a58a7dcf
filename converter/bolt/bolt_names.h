/* SPDX-License-Identifier: MIT */
/*
 * What fdata calls functions. llvm-bolt knows a local one by several names: `name/N`, the N-th of
 * that name, and `name/file/N`, the N-th of that file; perf2bolt writes the former, our converter
 * the latter. Aliases are names, too. llvm-bolt takes the records of one of a function's names and
 * ignores those of the others, so profiles that are added up have to agree.
 */
#pragma once

#include "base/map.h"
#include "converter/binary/binary.h"
#include "formats/model/bolt_profile.h"

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
