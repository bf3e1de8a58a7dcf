/* SPDX-License-Identifier: MIT */
/*
 * Atomics that wait for another thread. A lock that is taken is seen as an atomic that leaves its
 * memory as it was. Meeting one is nothing; meeting it again in one look-ahead, with the same still
 * in its memory and no atomic of the thread's own that changed it meanwhile, is a spinning loop,
 * whose end another thread decides.
 */
#pragma once

#include "isa/shadow.h"

#define ISA_SPINS_MOST 16 /* further ones are not noted */

struct isa_spin {
	uint64_t pc, address;
	struct isa_value value;
	uint32_t rounds; /* it was met so often */
};

struct isa_spins {
	uint32_t count;
	struct isa_spin spin[ISA_SPINS_MOST];
};

/* How often before did the atomic at @pc find and leave @value at @address (0: not known where)?
 * 0: this is no loop that waits. */
unsigned isa_spins_rounds(struct isa_spins *s, uint64_t pc, uint64_t address,
			  struct isa_value value);

/* The atomic at @pc left @value at @address, as it was. */
void isa_spins_note(struct isa_spins *s, uint64_t pc, uint64_t address, struct isa_value value);

/* An atomic changed what is at @address. */
void isa_spins_forget(struct isa_spins *s, uint64_t address);
