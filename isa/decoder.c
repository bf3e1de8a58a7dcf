/* SPDX-License-Identifier: MIT */
/* The decoder is chosen by the ELF machine of the code, not by where softlbr runs. */
#include <elf.h>

#include "isa/decoder.h"
#include "isa/isa.h"

#define UNKNOWN_BYTES 2

bool isa_decoder_is_known(uint16_t elf_machine)
{
	return elf_machine == EM_X86_64 || elf_machine == EM_386 || elf_machine == EM_AARCH64;
}

static bool decode_unknown(size_t size, uint64_t address, struct isa_insn *out)
{
	if (size < UNKNOWN_BYTES || address % UNKNOWN_BYTES)
		return false;
	*out = (struct isa_insn){.address = address, .length = UNKNOWN_BYTES, .kind = ISA_UNKNOWN};
	return true;
}

bool isa_decoder_decode(uint16_t elf_machine, const uint8_t *bytes, size_t size, uint64_t address,
			struct isa_insn *out)
{
	switch (elf_machine) {
	case EM_X86_64:
	case EM_386:
		return x86_decode(bytes, size, address, elf_machine == EM_386, out);
	case EM_AARCH64:
		return aarch64_decode(bytes, size, address, out);
	}
	return decode_unknown(size, address, out);
}

void isa_decoder_forget_place(uint16_t elf_machine, uint8_t *bytes, size_t size)
{
	switch (elf_machine) {
	case EM_X86_64:
	case EM_386:
		x86_decode_forget_place(bytes, size, elf_machine == EM_386);
		break;
	case EM_AARCH64:
		aarch64_decode_forget_place(bytes, size);
		break;
	}
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
		return x86_decode_role(bytes, size);
	return (struct isa_role_of){.role = ISA_ROLE_COMPUTE};
}
