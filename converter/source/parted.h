/* SPDX-License-Identifier: MIT */
/* Functions some of whose code has symbols of its own: .cold, LLVM's basic block sections. */
#pragma once

#include "base/map.h"
#include "base/strings.h"
#include "base/vector.h"
#include "converter/binary/binary.h"
#include "converter/debuginfo/debuginfo.h"
#include "formats/model/source_profile.h"

struct parted_function {
	struct source_function function;
	bool named; /* after the symbol that is no part */
	bool ran;
};

/* Start zeroed. */
struct parted_functions {
	struct strings *names;
	struct map numbers; /* (name, compilation unit) -> n = number */
	VECTOR(struct parted_function) items;
};

/* All of @b; -1 without memory. */
int parted_functions_find(struct parted_functions *p, const struct binary *b,
			  const struct debuginfo *d);
void parted_functions_deinit(struct parted_functions *p);
/* The function that the symbol @f is of; NULL if that is in one part. */
struct parted_function *parted_function_of(struct parted_functions *p, const struct debuginfo *d,
					   const struct binary_function *f);
