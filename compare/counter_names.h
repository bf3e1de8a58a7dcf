/* SPDX-License-Identifier: MIT */
/*
 * Names of counted functions by the program's symbols. gcc's number of a function that other files
 * can see is a checksum of its name (coverage_compute_profile_id, gcc/coverage.cc); those of local
 * ones are of paths that no program has, so the keys alone know them.
 */
#pragma once

#include "base/map.h"
#include "converter/binary/binary.h"
#include "converter/gcc/files/counter_profile.h"

struct counter_names {
	struct map by_ident;	    /* (ident, 0) -> n = index in names, + 1 */
	VECTOR(const char *) names; /* borrowed from the binary */
};

/* @n is zeroed, to be ended with counter_names_deinit. 0 or a negative code. */
int counter_names_read(struct counter_names *n, const struct binary *b, struct softlbr_error *e);
void counter_names_deinit(struct counter_names *n);
/* NULL: not known. */
const char *counter_names_find(const struct counter_names *n, const struct counter_function *f);
