/* SPDX-License-Identifier: MIT */
/*
 * Function names as the consumer of a source profile wants them, and the merging that follows from
 * it: clones and parts of one function (foo.isra.0, foo.cold, foo.llvm.123) are one function to a
 * compiler that cuts the suffix when it looks a name up.
 */
#ifndef FORMATS_MODEL_SOURCE_NAMES_H
#define FORMATS_MODEL_SOURCE_NAMES_H

#include "formats/model/source_profile.h"

enum source_name_rule {
	/* GCC up to 15: cut at the first '.', in the table and in the compiler alike. Constructors
	 * and destructors carry the name of the complete-object variant. */
	SOURCE_NAMES_GCC,
	/* GCC 16: only the suffixes of its late passes are cut, with their numbers. */
	SOURCE_NAMES_GCC16,
	/* clang: functions with internal linkage names made unique (.__uniq.) lose .llvm.N, .part.N
	 * and .cold; all others are cut at the first '.'. */
	SOURCE_NAMES_LLVM,
};

/* How many bytes of @name the consumer keeps. */
size_t source_name_length(const char *name, enum source_name_rule rule);
/* Is @name that of an outlined part of @whole (whole.cold, whole.part.0, and LLVM's basic block
 * sections, whole.__part.1)? Such a part is entered from inside the function, so that a jump there
 * is no call. */
bool source_name_is_part_of(const char *name, const char *whole);

/*
 * Make @out (uninitialised) a copy of @p as its consumer looks things up: names by @rule (with
 * p->dotted_names GCC 16's), lines and call sites modulo 65536. What then shares a name or a
 * position is added up. Sorted. A function that ran has a head of at least 1. What was read from
 * LLVM's files stays as it is for LLVM. 0, or -1 without memory (@out is then deinitialised).
 */
int source_profile_for_consumer(const struct source_profile *p, enum source_name_rule rule,
				struct source_profile *out);

/*
 * Make @out (uninitialised) a copy of @p, whose names are MD5 numbers, with the names of @known in
 * their place; numbers of none of them stay. 0, or -1 without memory (@out is then deinitialised).
 */
int source_names_unhash(const struct source_profile *p, const struct source_profile *known,
			struct source_profile *out);

#endif
