/* SPDX-License-Identifier: MIT */
/*
 * Decoded instructions of functions, each function once: so that cost follows distinct hot code.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "converter/binary/binary.h"

#define CODE_NONE SIZE_MAX

/* A function's instructions by linear sweep, ascending. */
struct code {
	const struct binary_function *function;
	struct isa_insn *insns;
	size_t count;
	/* For each instruction the first one from it on, by number, that control can't run through
	 * to the next: a transfer, the last one, or one before bytes that are no instruction. */
	uint32_t *stops;
	/* Holds bytes that are no instruction, data in code or what a symbol that is off covers; or
	 * the CPU is not one that is decoded. */
	bool gaps;
};

/* Does straight-line execution end at such an instruction? Calls included. */
static inline bool code_stops(uint8_t kind)
{
	return isa_ends_line(kind) || isa_is_call(kind);
}

/* The number of the instruction at @va, or CODE_NONE. */
size_t code_find(const struct code *c, uint64_t va);

struct code_cache;

struct code_cache *code_cache_new(struct binary *b); /* NULL without memory */
void code_cache_free(struct code_cache *c);
/* The function's instructions, owned by the cache; NULL without memory. */
const struct code *code_cache_get(struct code_cache *c, const struct binary_function *f);

/* ---- where switches can go (jump_tables.c) -------------------------------------------------- */

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
