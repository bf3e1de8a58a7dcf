/* SPDX-License-Identifier: MIT */
/*
 * Decoded instructions of functions, each function once: so that cost follows distinct hot code.
 */
#pragma once

#include "base/vector.h"
#include "converter/binary/binary.h"
#include "formats/model/value_profile.h"
#include "isa/text.h"

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

/* ---- sites of values (value_sites.c) ------------------------------------------------------- */

/* A value that stands in a register when the instruction begins. */
struct value_place {
	size_t insn; /* number in the function */
	uint64_t va; /* whose value it is: the instruction, or the entry that it calls */
	enum value_kind kind;
	uint8_t reg;   /* as isa/text.h numbers it */
	uint8_t bytes; /* of it that count */
	bool is_signed;
};

/* One call or division, by itself. */
struct value_instruction {
	bool divides, calls, indirect;
	uint64_t target; /* of a direct call; else 0 */
	uint8_t size; /* argument that is the size of a string operation, or VALUE_SITES_NO_SIZE */
	struct operands operands;
};

#define VALUE_SITES_NO_SIZE 0xff

struct value_sites;

/* NULL without memory; @b and @cache must outlive it. */
struct value_sites *value_sites_new(struct binary *b, struct code_cache *cache);
void value_sites_free(struct value_sites *s);
/* Is the CPU's code understood so far? */
bool value_sites_are_known(const struct binary *b);

/* The kind of the instruction at @va; neither a call nor a division: both are false. */
void value_sites_instruction(struct value_sites *s, uint64_t va, struct value_instruction *out);
/* Does the instruction at @va call where it goes to, @target or VALUE_ELSEWHERE? An indirect jump
 * does if another function begins there, or its own; else it goes on in its function. */
bool value_sites_may_call(const struct value_sites *s, uint64_t va, uint64_t target);
/* The arguments that the function at @entry reads before it changes them: bits by their number; 0
 * if no function begins there. Remembered; -1 without memory. */
int value_sites_arguments(struct value_sites *s, uint64_t entry);

/* Read a function: its places, and how control reaches its code. 0, or -1 without memory. */
int value_sites_read(struct value_sites *s, const struct binary_function *f);
/* Places in the function read last. */
const struct value_place *value_sites_places(const struct value_sites *s, size_t *count);
/*
 * One step back from where @at is: to the only instruction that control can come from, if the
 * value stands in a register there too, which @at is set to. False at the slice's end.
 */
bool value_sites_step_back(const struct value_sites *s, struct value_place *at);
