/* SPDX-License-Identifier: MIT */
/*
 * What an instruction does for the statement that it was made from, as far as that tells how often
 * the statement ran: compilers leave stores and calls where they are, hoist and merge moves and
 * addresses freely, and make selects of branches.
 */
#ifndef ISA_ROLE_H
#define ISA_ROLE_H

#include <stddef.h>
#include <stdint.h>

enum isa_role {
	ISA_ROLE_COMPUTE, /* everything that is none of the others; loads and tests are */
	ISA_ROLE_STORE,	  /* to memory other than the stack's top */
	ISA_ROLE_SHUFFLE, /* between registers, of constants, of addresses, to and from the stack */
	ISA_ROLE_SELECT,  /* a conditional move or set */
};

struct isa_role_of {
	uint8_t role; /* enum isa_role */
	/* equal for instructions that do the same with the same kinds of operands */
	uint32_t operation;
};

/* Of the instruction in @bytes, for an ELF machine; what is not known computes. */
struct isa_role_of isa_decoder_find_role(uint16_t elf_machine, const uint8_t *bytes, size_t size);

#endif
