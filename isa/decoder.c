/* SPDX-License-Identifier: MIT */
/* Which CPU's decoder: chosen by the ELF machine of the code, not by where softlbr runs. */
#include "isa/decoder.h"

#include <elf.h>

#include "base/memory.h"

#define UNKNOWN_BYTES 2

struct isa_decoder {
	uint16_t machine;
	struct x86_decoder *x86; /* of x86 only: the others need no state */
};

bool isa_decoder_is_known(uint16_t elf_machine)
{
	return elf_machine == EM_X86_64 || elf_machine == EM_386 || elf_machine == EM_AARCH64;
}

struct isa_decoder *isa_decoder_new(uint16_t elf_machine)
{
	struct isa_decoder *d = memory_alloc(sizeof(*d));

	if (!d)
		return NULL;
	d->machine = elf_machine;
	if (elf_machine != EM_X86_64 && elf_machine != EM_386)
		return d;
	d->x86 = x86_decode_new(elf_machine == EM_386);
	if (!d->x86) {
		memory_free(d);
		return NULL;
	}
	return d;
}

void isa_decoder_free(struct isa_decoder *d)
{
	if (!d)
		return;
	x86_decode_free(d->x86);
	memory_free(d);
}

static bool decode_unknown(size_t size, uint64_t address, struct isa_insn *out)
{
	if (size < UNKNOWN_BYTES || address % UNKNOWN_BYTES)
		return false;
	*out = (struct isa_insn){.address = address, .length = UNKNOWN_BYTES, .kind = ISA_UNKNOWN};
	return true;
}

bool isa_decoder_decode(struct isa_decoder *d, const uint8_t *bytes, size_t size, uint64_t address,
			struct isa_insn *out)
{
	if (d->x86)
		return x86_decode(d->x86, bytes, size, address, out);
	return d->machine == EM_AARCH64 ? aarch64_decode(bytes, size, address, out)
					: decode_unknown(size, address, out);
}

bool isa_decoder_find_jump_table(uint16_t elf_machine, const struct isa_insn *insns, size_t count,
				 size_t jump, const uint8_t *bytes, struct isa_table *out)
{
	if (elf_machine == EM_X86_64)
		return x86_jump_table_find(insns, count, jump, bytes, out);
	if (elf_machine == EM_AARCH64)
		return aarch64_jump_table_find(insns, count, jump, bytes, out);
	return false;
}

struct isa_role_of isa_decoder_find_role(uint16_t elf_machine, const uint8_t *bytes, size_t size)
{
	if (elf_machine == EM_X86_64)
		return x86_role_find(bytes, size);
	return (struct isa_role_of){.role = ISA_ROLE_COMPUTE};
}
