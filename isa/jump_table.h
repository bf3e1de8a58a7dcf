/* SPDX-License-Identifier: MIT */
/*
 * Where an indirect jump of x86-64 reads its target: the jump tables that GCC and clang make of
 * switches. Only the code's pattern is recognised here; whether the table's contents make sense is
 * for the caller to check.
 */
#ifndef ISA_JUMP_TABLE_H
#define ISA_JUMP_TABLE_H

#include "isa/isa.h"

enum isa_table_form {
	ISA_TABLE_ABSOLUTE_64, /* entries are addresses */
	ISA_TABLE_RELATIVE_32, /* entries are signed distances from the table's start */
};

struct isa_table {
	uint64_t base;
	uint8_t form; /* enum isa_table_form */
};

/*
 * The table that the indirect jump @insns[@jump] reads; false if the code around it shows none.
 * @insns are a function's instructions, ascending; @bytes its code from insns[0].address on, as
 * far as insns reach.
 */
bool isa_find_jump_table(const struct isa_insn *insns, size_t count, size_t jump,
			 const uint8_t *bytes, struct isa_table *out);

#endif
