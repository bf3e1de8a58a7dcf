/* SPDX-License-Identifier: MIT */
/*
 * What unit-evaluate and unit-steps share: tables of instructions, random bits, and the
 * MEMORY_BYTES that all of it works on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The table @name of the instructions @insns, in assembly: length, bytes and text of each. */
#define TABLE(name, insns) #name ":\n" insns ".byte 0\n"
#define INSN(text)	   ".byte 2f - 1f\n1: " text "\n2: .asciz \"" text "\"\n"

struct insn {
	const uint8_t *bytes;
	uint8_t length;
	const char *text;
};

static uint8_t memory[MEMORY_BYTES] __attribute__((aligned(4096)));
static uint64_t seed = 88172645463325252u;

/* The instruction at *@at, which moves to the next; false at the end. */
static bool insn_next(const uint8_t **at, struct insn *insn)
{
	const uint8_t *p = *at;

	if (!*p)
		return false;
	*insn = (struct insn){p + 1, *p, (const char *)p + 1 + *p};
	*at = (const uint8_t *)insn->text + strlen(insn->text) + 1;
	return true;
}

static uint64_t random_bits(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static bool read_memory(void *context, uint64_t address, void *out, size_t bytes)
{
	uint64_t at = address - (uintptr_t)memory;

	(void)context;
	if (at >= sizeof(memory) || bytes > sizeof(memory) - at)
		return false;
	memcpy(out, (const void *)address, bytes);
	return true;
}
