/* SPDX-License-Identifier: MIT */
/* Source: Arm ARM, C4.1, "Loads and Stores", "Load/store exclusive" and "Barriers". */
#include "isa/evaluate.h"

#define INSTRUCTIONS 16u
#define BYTES	     4u

static bool matches(uint32_t word, uint32_t mask, uint32_t value)
{
	return (word & mask) == value;
}

/* LDXR and its kin; LDXP. Not CASP, which has the smaller sizes of the latter. */
static bool opens(uint32_t word)
{
	return matches(word, 0x3fe00000, 0x08400000) || matches(word, 0xbfe00000, 0x88600000);
}

/* STXR, STXP, CLREX; and what code does not run on behind: B, BR, RET. */
static bool closes(uint32_t word)
{
	return matches(word, 0x3fe00000, 0x08000000) || matches(word, 0xbfe00000, 0x88200000) ||
	       matches(word, 0xfffff0ff, 0xd503305f) || matches(word, 0xfc000000, 0x14000000) ||
	       matches(word, 0xfe000000, 0xd6000000);
}

static bool fetch(const struct isa_memory *m, uint64_t address, uint32_t *word)
{
	return isa_memory_fetch(m, address, word, sizeof(*word));
}

bool isa_exclusive_contains(const struct isa_memory *m, uint64_t address)
{
	for (unsigned i = 1; i <= INSTRUCTIONS && address >= i * BYTES; i++) {
		uint32_t word;

		if (!fetch(m, address - i * BYTES, &word) || closes(word))
			return false;
		if (opens(word))
			return true;
	}
	return false;
}

bool isa_exclusive_opens(const struct isa_memory *m, uint64_t address)
{
	uint32_t word;

	return fetch(m, address, &word) && opens(word);
}
