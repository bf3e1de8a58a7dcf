/* SPDX-License-Identifier: MIT */
/*
 * Instructions as text, in AT&T's syntax as perf and objdump print them. Of x86 only: the decoder
 * of AArch64 is our own and knows no operands.
 */
#ifndef ISA_TEXT_H
#define ISA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct isa_text;

/* For an ELF machine; NULL without memory, or if its instructions have no text here. */
struct isa_text *isa_text_new(uint16_t elf_machine);
void isa_text_free(struct isa_text *t);
/*
 * The instruction at @address, whose first @size bytes are @bytes: "mov %rax, %rbx". False if it is
 * none that is known. Not while another thread decodes.
 */
bool isa_text_write(struct isa_text *t, const uint8_t *bytes, size_t size, uint64_t address,
		    char *room, size_t room_bytes);

#endif
