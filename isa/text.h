/* SPDX-License-Identifier: MIT */
/*
 * Instructions as text: of x86-64 and i386 in AT&T's syntax, as perf and objdump print them, and of
 * AArch64. Of the latter Capstone 4.0.2 knows Armv8.0 and some of what came later; what it does not
 * know is ".inst 0x08020c41".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct isa_text;

/* For an ELF machine; NULL without memory, or if its instructions have no text here. */
struct isa_text *isa_text_new(uint16_t elf_machine);
void isa_text_free(struct isa_text *t);
/*
 * The instruction at @address, whose first @size bytes are @bytes: "mov %rax, %rbx". False if it is
 * none that is known. One thread at a time per isa_text.
 */
bool isa_text_write(struct isa_text *t, const uint8_t *bytes, size_t size, uint64_t address,
		    char *room, size_t room_bytes);

/*
 * Which general registers an instruction reads and changes, and what it divides by: for following a
 * register's value through code. Registers are numbered as the kernel numbers them in samples
 * (perf_regs.h of the CPU; x86: ax bx cx dx si di bp sp, 16 to 23 for r8 to r15).
 */

#define OPERANDS_NO_REGISTER 0xff

struct operands {
	uint64_t read, written; /* bits by register */
	/* A move of one register to another: copied <- source, its low @copied_bytes, the rest
	 * zero. Else OPERANDS_NO_REGISTER. */
	uint8_t copied, source, copied_bytes;
	bool divides;
	/* The low bytes of a register; OPERANDS_NO_REGISTER: of memory. */
	uint8_t divisor, divisor_bytes;
	bool is_signed;
	uint8_t target; /* the register that an indirect call or jump goes by, or
			   OPERANDS_NO_REGISTER */
};

struct operands_reader;

/* For an ELF machine; NULL without memory, or for one whose operands are not read: then
 * operands_are_known is false. */
struct operands_reader *operands_reader_new(uint16_t elf_machine);
void operands_reader_free(struct operands_reader *r);
bool operands_are_known(uint16_t elf_machine);
/* The operands of the instruction of @size bytes. Of one that is not known everything may be
 * changed. One thread at a time per reader. */
void operands_read(struct operands_reader *r, const uint8_t *bytes, size_t size, uint64_t address,
		   struct operands *out);
/* The register of a function's integer argument, by the calling convention, or
 * OPERANDS_NO_REGISTER. */
uint8_t operands_argument(uint16_t elf_machine, unsigned number);
