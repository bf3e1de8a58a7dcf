/* SPDX-License-Identifier: MIT */
/*
 * Where an indirect jump reads its target: the jump tables that GCC and clang make of switches, on
 * x86-64 and AArch64. Only the code's pattern is recognised here; whether the table's contents make
 * sense is for the caller to check.
 */
#ifndef ISA_JUMP_TABLE_H
#define ISA_JUMP_TABLE_H

#include "isa/isa.h"

/* An entry of @entry_bytes holds the target itself (@absolute), or, shifted left by @shift, its
 * distance from @anchor. */
struct isa_table {
	uint64_t base, anchor;
	uint32_t entries; /* as the code checks its index; 0 = not known */
	uint8_t entry_bytes, shift;
	bool absolute;
	bool is_signed; /* the distance */
};

/*
 * The table that the indirect jump @insns[@jump] reads; false if the code around it shows none, or
 * the CPU's tables are not known. @insns are a function's instructions, ascending; @bytes its code
 * from insns[0].address on, as far as insns reach.
 */
bool isa_decoder_find_jump_table(uint16_t elf_machine, const struct isa_insn *insns, size_t count,
				 size_t jump, const uint8_t *bytes, struct isa_table *out);

#endif
