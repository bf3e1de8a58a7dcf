/* SPDX-License-Identifier: MIT */
/* Functions of a binary by the instructions that they executed, or by samples where there is
 * nothing else. */
#pragma once

#include "converter/binary/binary.h"
#include "formats/model/branch_profile.h"

struct function_counts {
	struct binary *binary;
	struct map of;	 /* (number among binary_functions, 0) -> n = weight, m = entries */
	uint64_t weight; /* of all */
};

/* @p: zeroed, to be ended also on failure. 0, or -1 without memory. */
int function_counts_make(struct function_counts *p, struct binary *b,
			 const struct branch_profile *from);
void function_counts_deinit(struct function_counts *p);
