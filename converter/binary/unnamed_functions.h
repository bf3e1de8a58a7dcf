/* SPDX-License-Identifier: MIT */
/*
 * Where a program's functions are if no symbol says: each frame description is one (also of a part
 * that the compiler split off, which has a symbol of its own otherwise). Where code is left that
 * none covers, as of libraries built without unwind tables, one begins at the entry point and at
 * each target of a direct call, and ends where the next one begins. PLT stubs are none.
 */
#pragma once

#include "base/vector.h"
#include "converter/binary/binary.h"

struct unnamed_function {
	uint64_t begin, end;
	bool has_frame; /* it is known by its frame description */
};

struct unnamed_functions {
	VECTOR(struct unnamed_function) items; /* ascending, not overlapping */
};

/* Needs the binary's sections alone. @out zeroed, freed with vector_deinit. 0, or -1 without
 * memory. */
int unnamed_functions_find(struct binary *b, uint64_t entry, struct unnamed_functions *out);
