/* SPDX-License-Identifier: MIT */
#include "isa/spins.h"

static struct isa_spin *spins_find(struct isa_spins *s, uint64_t pc, uint64_t address)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (s->spin[i].pc == pc && s->spin[i].address == address)
			return &s->spin[i];
	}
	return NULL;
}

unsigned isa_spins_rounds(struct isa_spins *s, uint64_t pc, uint64_t address,
			  struct isa_value value)
{
	const struct isa_spin *was = spins_find(s, pc, address);

	return was && was->value.bits == value.bits && was->value.known == value.known ? was->rounds
										       : 0;
}

void isa_spins_note(struct isa_spins *s, uint64_t pc, uint64_t address, struct isa_value value)
{
	unsigned rounds = isa_spins_rounds(s, pc, address, value);
	struct isa_spin *was = spins_find(s, pc, address);

	if (!was && s->count < ISA_SPINS_MOST)
		was = &s->spin[s->count++];
	if (was)
		*was = (struct isa_spin){pc, address, value, rounds + 1};
}

void isa_spins_forget(struct isa_spins *s, uint64_t address)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < s->count; i++) {
		if (s->spin[i].address != address)
			s->spin[kept++] = s->spin[i];
	}
	s->count = kept;
}
