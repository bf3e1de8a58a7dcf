/* SPDX-License-Identifier: MIT */
/*
 * Decoded instructions of functions, each function once: so that cost follows distinct hot code.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
