/* SPDX-License-Identifier: MIT */
/* Adding up counter profiles of one object file, as gcc's runtime and gcov-tool merge do
 * (libgcc/libgcov-merge.c). */
#ifndef CONVERTER_GCC_FILES_COUNTER_MERGE_H
#define CONVERTER_GCC_FILES_COUNTER_MERGE_H

#include "converter/gcc/files/counter_profile.h"
#include "softlbr/error.h"

/*
 * Add @from, times @weight, to @to, which is zeroed or another of the same build. @name is @from's
 * file. SOFTLBR_E_INPUT if they are of different builds: another version of gcc, another stamp,
 * other functions or control-flow graphs.
 */
int counter_merge_add(struct counter_profile *to, const struct counter_profile *from,
		      uint64_t weight, const char *name, struct softlbr_error *e);

#endif
