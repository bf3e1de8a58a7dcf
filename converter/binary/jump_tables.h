/* SPDX-License-Identifier: MIT */
/* Where a function's switches can go, by the jump tables in the binary's data. */
#pragma once

#include "base/vector.h"
#include "converter/binary/code.h"

struct jump_target {
	uint32_t insn; /* the indirect jump's number in the function */
	uint64_t va;   /* an instruction, in the function or in another part of it */
};

struct jump_targets {
	VECTOR(struct jump_target) items; /* ascending by (insn, va), unique */
};

/*
 * Find the tables that @c's indirect jumps read and append their targets. A table ends where the
 * code's check of the index says, if that was found, or else where the function's next one begins
 * or at the first entry that is no instruction of the function or of its other parts (`f` and
 * `f.cold`), as llvm-bolt bounds them. 0, or -1 without memory.
 */
int jump_tables_find(struct binary *b, struct code_cache *cache, const struct code *c,
		     struct jump_targets *out);

/* How much of a symbol's name says which function it is a part of: "f" of "f.cold". */
size_t jump_tables_base_name(const char *name);
/* Are both parts of one function, like `f` and `f.cold`? */
bool jump_tables_same_function(const struct binary_function *f, const struct binary_function *g);
