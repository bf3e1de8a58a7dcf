/* SPDX-License-Identifier: MIT */
/*
 * Where a function's code has values that are worth to know, and which instructions before such a
 * site have the same value in a register already: the backward slices of Taming Hardware Event
 * Samples, section 5.3.
 */
#pragma once

#include "converter/binary/code.h"
#include "formats/model/value_profile.h"
#include "isa/text.h"

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
/* The arguments that the function at @entry reads before it changes them: bits by their number; 0
 * if no function begins there. Remembered; -1 without memory. */
int value_sites_arguments(struct value_sites *s, uint64_t entry);

/* Read a function: its places, and how control reaches each instruction. 0, or -1 without memory.
 */
int value_sites_read(struct value_sites *s, const struct binary_function *f);
/* Places in the function read last. */
const struct value_place *value_sites_places(const struct value_sites *s, size_t *count);
/*
 * One step back from where @at is: to the only instruction that control can come from, if the
 * value stands in a register there too, which @at is set to. False at the slice's end.
 */
bool value_sites_step_back(const struct value_sites *s, struct value_place *at);
