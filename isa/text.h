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
